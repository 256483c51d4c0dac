"""The results of a fleet in one SQLite file: appended by run, read by reports; nothing else knows its tables."""
