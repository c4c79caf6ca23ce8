"""Fitted trees with their proofs: saved as JSON, shown as HTML pages."""
