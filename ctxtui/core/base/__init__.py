"""The bottom floor: errors, notices, words and small tools, which import nothing above."""
