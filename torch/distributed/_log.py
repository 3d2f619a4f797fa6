"""The logger of torch.distributed; the module that makes it is imported when it is used."""

import logging

log = logging.getLogger("torch.distributed")
