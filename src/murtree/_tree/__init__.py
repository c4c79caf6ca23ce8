"""Decision trees: prediction, rules, and conversion to JSON, HTML and scikit-learn."""
