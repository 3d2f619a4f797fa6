"""Random programs run under this library and under PyTorch (the command is tools/fuzz_against_peer.py)."""
