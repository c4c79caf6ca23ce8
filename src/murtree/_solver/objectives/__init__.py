"""Objectives: errors, error costs, impurities, squared and absolute error."""
