"""Audit reports as values, JSON, Markdown and SARIF."""
