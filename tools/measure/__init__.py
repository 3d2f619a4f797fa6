"""The parts of tools/measure_build.py."""
