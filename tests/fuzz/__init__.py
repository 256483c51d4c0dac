"""The attack: hostile inputs for every public door, and scripts that break the machine underneath."""
