"""Searches for optimal trees. Only this package imports the compiled core."""
