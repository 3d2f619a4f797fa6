"""PyTorch keeps no public names here."""
