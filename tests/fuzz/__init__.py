"""The attack: hostile inputs for every public door."""
