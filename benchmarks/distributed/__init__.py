"""Timings of collectives and of DistributedDataParallel between processes of one machine."""
