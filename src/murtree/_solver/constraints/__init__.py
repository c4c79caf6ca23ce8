"""Trees with a given top, forbidden columns, or few distinct columns."""
