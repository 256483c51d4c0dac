"""The model of the Audit screen: its audits, the rows of its tabs, and the files it writes."""
