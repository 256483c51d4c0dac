"""The Audit screen's model: audits run for it, its tabs as rows, and what it writes."""
