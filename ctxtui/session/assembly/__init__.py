"""The way from a selection to the payload: drafts, cuts, templates."""
