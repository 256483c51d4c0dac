"""The way from a folder to a workspace: the scan, its sources, files above and at home."""
