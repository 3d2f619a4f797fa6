"""Rules of operators, one family a file; torch.distributed.tensor._rules says what a rule is."""
