"""The page of a fleet: one HTML file that asks nothing of any server, for a browser or a printer."""
