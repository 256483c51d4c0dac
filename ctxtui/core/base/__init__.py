"""The bottom floor: errors, notices, wording and small tools that import nothing above them."""
