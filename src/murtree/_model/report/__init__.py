"""The report of a model: its content as a plain dict, rendered as one HTML page."""
