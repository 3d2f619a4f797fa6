"""PyTorch keeps no public names here: its launcher binds processes to NUMA nodes, and there is no launcher."""
