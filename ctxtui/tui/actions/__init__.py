"""Commands as functions of the desk that may ask the user."""
