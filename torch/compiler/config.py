"""Settings of PyTorch's compiler that may matter to a program. They are kept, and have no effect: functions run eagerly."""

from __future__ import annotations

import sys

from torch._compiler_settings import Settings

_DEFAULTS = {
    "job_id": None, "pgo_extra_read_key": None, "pgo_extra_write_key": None, "cache_key_tag": "", "dynamic_sources": "",
    "unbacked_sources": "", "force_disable_caches": False, "dynamic_shapes": True, "assume_static_by_default": True,
    "automatic_dynamic_shapes": True, "recompile_limit": 8, "accumulated_recompile_limit": 256, "verbose": False,
    "capture_scalar_outputs": False, "capture_dynamic_output_shape_ops": False, "log_file_name": None,
    "fail_on_recompile_limit_hit": False, "allow_unspec_int_on_nn_module": False, "wrap_top_frame": False,
    "skip_tensor_guards_with_matching_dict_tags": True, "enable_cpp_symbolic_shape_guards": True,
    "reorderable_logging_functions": set(),
}  # fmt: skip
_settings = Settings(__name__, dict(_DEFAULTS))
for _name in ("__spec__", "__file__", "__package__", "__loader__"):
    _settings.__dict__[_name] = globals()[_name]
sys.modules[__name__] = _settings
