"""Data loading: data sets, transforms, samplers, workers, collating, iterable data sets."""

import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    WeightedRandomSampler,
    get_worker_info,
)


class FaceLandmarksDataset(Dataset):
    def __init__(self, count, transform=None):
        self.count, self.transform = count, transform

    def __len__(self):
        return self.count

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        sample = {"image": torch.full((6, 8, 3), float(idx)).numpy(), "landmarks": torch.arange(4.0).view(2, 2).numpy() + idx}
        return self.transform(sample) if self.transform else sample


class RandomCrop:
    def __init__(self, output_size):
        self.output_size = output_size

    def __call__(self, sample):
        image, landmarks = sample["image"], sample["landmarks"]
        h, w = image.shape[:2]
        top = torch.randint(0, h - self.output_size + 1, (1,)).item()
        left = torch.randint(0, w - self.output_size + 1, (1,)).item()
        return {
            "image": image[top : top + self.output_size, left : left + self.output_size],
            "landmarks": landmarks - [left, top],
        }


class ToTensor:
    def __call__(self, sample):
        return {
            "image": torch.from_numpy(sample["image"].transpose((2, 0, 1)).copy()),
            "landmarks": torch.from_numpy(sample["landmarks"]),
        }


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, sample):
        for transform in self.transforms:
            sample = transform(sample)
        return sample


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 10, step))


def main():
    torch.manual_seed(0)
    dataset = FaceLandmarksDataset(10, Compose([RandomCrop(4), ToTensor()]))
    for i, batch in enumerate(DataLoader(dataset, batch_size=4, shuffle=True, num_workers=0)):
        print(i, batch["image"].size(), batch["landmarks"].dtype, batch["image"][:, 0, 0, 0], batch["landmarks"].sum())
    for batch in DataLoader(dataset, batch_size=4, shuffle=True, num_workers=2):
        print(batch["image"][:, 0, 0, 0], batch["landmarks"].sum())
    print(
        [x.tolist() for x in DataLoader(Stream(), batch_size=3)],
        [x.tolist() for x in DataLoader(Stream(), batch_size=3, num_workers=2)],
    )
    plain = list(range(8))
    print([x.tolist() for x in DataLoader(plain, batch_sampler=BatchSampler(SequentialSampler(plain), 3, drop_last=True))])
    print(list(RandomSampler(plain, generator=torch.Generator().manual_seed(1))), list(WeightedRandomSampler([0.1, 0.9], 6)))
    print(len(ConcatDataset([dataset, dataset])), Subset(plain, [3, 1])[0])

    def collate(items):
        return torch.nn.utils.rnn.pad_sequence([torch.ones(n) for n in items], batch_first=True)

    print([x.shape for x in DataLoader([1, 3, 2, 5], batch_size=2, collate_fn=collate, drop_last=True)])
    generator = torch.Generator().manual_seed(3)
    loader = DataLoader(
        plain, batch_size=4, shuffle=True, generator=generator, num_workers=2, persistent_workers=True, prefetch_factor=2
    )
    print([[x.tolist() for x in loader] for _ in range(2)])


if __name__ == "__main__":
    main()
