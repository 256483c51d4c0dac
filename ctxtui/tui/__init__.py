"""The app: widgets that draw a session and post messages, and one main screen that replaces it."""
