"""Scripts for building, testing and measuring torch."""
