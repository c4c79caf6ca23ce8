"""Entries of the arrays of a tree at leaves, as in scikit-learn."""

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0
