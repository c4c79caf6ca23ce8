"""What the arrays of a tree hold at leaves, as in scikit-learn's trees."""

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0
