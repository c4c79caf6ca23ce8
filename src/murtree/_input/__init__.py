"""Validation of parameters and arrays, exact arithmetic and atomic file writes."""
