"""From a user's table to tests of its columns, which the solver gets as 0/1 columns."""
