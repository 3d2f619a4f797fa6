"""Helpers that measure elementary functions: points over the whole range of a type, and errors in units in the last place."""
