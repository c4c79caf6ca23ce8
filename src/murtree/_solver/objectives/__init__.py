"""Objectives: errors, error costs, squared and absolute error."""
