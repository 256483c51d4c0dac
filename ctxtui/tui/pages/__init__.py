"""The pages of the View panel."""
