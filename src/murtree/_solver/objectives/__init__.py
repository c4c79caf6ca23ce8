"""What a tree costs: errors, prices of errors, squared and absolute error."""
