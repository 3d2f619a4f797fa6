"""The parts of setup.py, each in a file of its own."""
