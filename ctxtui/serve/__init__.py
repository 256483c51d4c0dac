"""The app in a browser, served on this machine only, to one user with a single-use token."""
