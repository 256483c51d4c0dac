"""Dry starts: an installed agent is started against a stand-in of its model, and its first request is read."""
