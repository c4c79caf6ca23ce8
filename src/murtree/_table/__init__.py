"""Conversion of tables to candidate tests, the 0/1 columns of the solver."""
