"""Constraints on trees: fixed top, forbidden columns, few distinct columns."""
