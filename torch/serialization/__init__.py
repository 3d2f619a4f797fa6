"""`torch.save`, `torch.load`, and related functions. Each name is imported on first use.

_save, _load            the two functions
_archive                the zip archive that a checkpoint is
_legacy_format          files from before the archives
_atomic_file            a file is replaced as a whole or not at all
_locations              where storages come from, and where they go
_tensor_pickle          how tensors are pickled, and copied deeply
_weights_only_unpickler reads a pickle without running it, within _pickle_limits, with the names of _safe_globals
_options                settings of a thread
"""

from __future__ import annotations

from torch._lazy import _table
from torch._lazy import lazy as _lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.serialization._compatibility import MAP_LOCATION as MAP_LOCATION
    from torch.serialization._compatibility import FileLike as FileLike
    from torch.serialization._compatibility import SourceChangeWarning as SourceChangeWarning
    from torch.serialization._compatibility import check_module_version_greater_or_equal as check_module_version_greater_or_equal
    from torch.serialization._compatibility import normalize_storage_type as normalize_storage_type
    from torch.serialization._legacy_format import MAGIC_NUMBER as MAGIC_NUMBER
    from torch.serialization._legacy_format import PROTOCOL_VERSION as PROTOCOL_VERSION
    from torch.serialization._load import get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint
    from torch.serialization._load import load as load
    from torch.serialization._locations import default_restore_location as default_restore_location
    from torch.serialization._locations import location_tag as location_tag
    from torch.serialization._locations import register_package as register_package
    from torch.serialization._options import config as config
    from torch.serialization._options import get_crc32_options as get_crc32_options
    from torch.serialization._options import get_default_load_endianness as get_default_load_endianness
    from torch.serialization._options import get_default_mmap_options as get_default_mmap_options
    from torch.serialization._options import set_crc32_options as set_crc32_options
    from torch.serialization._options import set_default_load_endianness as set_default_load_endianness
    from torch.serialization._options import set_default_mmap_options as set_default_mmap_options
    from torch.serialization._options import skip_data as skip_data
    from torch.serialization._safe_globals import add_safe_globals as add_safe_globals
    from torch.serialization._safe_globals import clear_safe_globals as clear_safe_globals
    from torch.serialization._safe_globals import get_safe_globals as get_safe_globals
    from torch.serialization._safe_globals import safe_globals as safe_globals
    from torch.serialization._save import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
    from torch.serialization._save import save as save
else:
    __getattr__, __dir__ = _lazy(__name__, (), _table("""
serialization._save: DEFAULT_PROTOCOL save
serialization._load: get_unsafe_globals_in_checkpoint load
serialization._options: config get_crc32_options get_default_load_endianness get_default_mmap_options set_crc32_options
    set_default_load_endianness set_default_mmap_options skip_data
serialization._safe_globals: add_safe_globals clear_safe_globals get_safe_globals safe_globals
serialization._locations: _get_restore_location default_restore_location location_tag register_package
serialization._legacy_format: MAGIC_NUMBER PROTOCOL_VERSION
serialization._layout: _get_layout
serialization._compatibility: FileLike MAP_LOCATION SourceChangeWarning check_module_version_greater_or_equal
    normalize_storage_type
"""))  # fmt: skip
