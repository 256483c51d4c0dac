"""The command line: stdout carries data, stderr carries narration."""
