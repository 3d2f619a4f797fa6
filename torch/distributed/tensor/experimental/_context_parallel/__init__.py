"""Sequences over processes: attention whose queries, keys and values are cut along the sequence.

`_ring` computes attention, `_rotation` sends keys and values, `_load_balance` says who has which positions, and `_context` cuts
buffers and puts the attention into a program.
"""
