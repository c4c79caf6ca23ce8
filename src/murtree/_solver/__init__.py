"""Search for optimal trees; the only package that imports the compiled core."""
