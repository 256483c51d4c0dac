"""An opened project: its sources, its reader, its tree, its notices."""
