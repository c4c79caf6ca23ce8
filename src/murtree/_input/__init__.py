"""Checks of parameters and arrays, exact numbers, and files written whole."""
