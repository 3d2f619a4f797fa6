"""Fits the polynomials of special functions with mpmath."""
