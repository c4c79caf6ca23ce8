"""How far a search has come, and how long it will still take."""
