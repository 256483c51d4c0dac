"""The version of ctxtui, also used to build the package."""

__version__ = "0.1.0"
