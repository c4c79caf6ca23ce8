"""A fitted tree with its proof: saved as JSON, shown as a page."""
