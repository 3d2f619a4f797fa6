"""The former place of functions of torch.hub."""

from torch.hub import (
    _import_module,  # noqa: F401
    tqdm,  # noqa: F401
)
from torch.hub import download_url_to_file as _download_url_to_file  # noqa: F401
from torch.hub import load_state_dict_from_url as load_url  # noqa: F401
