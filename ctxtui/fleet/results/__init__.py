"""Results of a fleet in one SQLite file: its tables and the queries of reports."""
