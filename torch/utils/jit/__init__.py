"""Tools for TorchScript's graphs, of which this version makes none."""
