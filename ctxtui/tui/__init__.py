"""The app: a desk that holds the session, and the panels and screens that draw it and work on it."""
