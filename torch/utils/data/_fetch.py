"""Batches from a dataset, by lists of indices or from a stream."""


class _NoStop:
    """Turns StopIteration into an error, as in a generator: otherwise a loop over the loader would end early without notice."""

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind is not None and issubclass(kind, StopIteration):
            raise RuntimeError(
                "DataLoader: the dataset or collate_fn raised StopIteration, which would end the epoch "
                "without a word about the samples that are left; to end a stream of samples, use an "
                "IterableDataset"
            ) from problem


class MapFetcher:
    """Samples by index."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto, self.collate = dataset, auto_collation, collate_fn

    def fetch(self, index):
        with _NoStop():
            if not self.auto:
                return self.collate(self.dataset[index])
            many = getattr(self.dataset, "__getitems__", None)
            return self.collate(many(index) if many else [self.dataset[k] for k in index])


class StreamFetcher:
    """Samples from a stream; only the number of indices matters."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.stream, self.ended = iter(dataset), False
        self.auto, self.collate, self.drop_last = auto_collation, collate_fn, drop_last

    def fetch(self, index):
        if self.ended:
            raise StopIteration
        if not self.auto:
            sample = next(self.stream)
            with _NoStop():
                return self.collate(sample)
        samples = []
        for _ in index:
            try:
                samples.append(next(self.stream))
            except StopIteration:
                self.ended = True
                break
        if not samples or self.drop_last and len(samples) < len(index):
            raise StopIteration
        with _NoStop():
            return self.collate(samples)
