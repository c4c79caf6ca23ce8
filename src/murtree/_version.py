"""The version of the package: here, so that every layer may name it."""

__version__ = "0.1.0"
