"""Timings of every operator of the test table against PyTorch: python -m benchmarks.sweep --peer PYTHON."""
