"""The former name of torch.distributed.run."""

from torch.distributed.run import main, parse_args, run  # noqa: F401

if __name__ == "__main__":
    main()
