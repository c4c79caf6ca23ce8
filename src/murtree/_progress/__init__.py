"""Progress displays and forecasts of the remaining time."""
