"""The payload: drafts, blocks, export formats, and cuts of text to fit a budget."""
