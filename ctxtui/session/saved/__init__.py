"""Everything that outlives a session: recipes, the last selection, settings, the state of the app."""
