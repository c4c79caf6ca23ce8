"""A tree: its nodes, how it predicts, and its rules as text, JSON and HTML."""
