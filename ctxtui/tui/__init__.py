"""The app: a desk that holds the session, and the panels and screens that show and change it."""
