"""Instruction counts by callgrind."""
