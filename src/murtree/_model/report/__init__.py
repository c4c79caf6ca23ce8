"""A model as one page for people: what it says as a plain dict, and that as HTML."""
