"""The app in a browser: served on this machine only, to one user, who brings a token that works once."""
