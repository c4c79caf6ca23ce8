"""Candidate thresholds for numeric columns."""
