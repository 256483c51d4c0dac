"""Commands that look into a project: its files, parts, entries, catalogs and context directories."""
