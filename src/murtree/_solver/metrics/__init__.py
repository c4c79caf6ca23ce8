"""Nonlinear metrics for binary classification, such as the F1 score."""
