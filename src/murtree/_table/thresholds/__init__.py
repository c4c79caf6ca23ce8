"""Which thresholds of a numeric column are candidates."""
