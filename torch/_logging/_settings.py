"""Reads the settings of TORCH_LOGS and set_logs, and applies them."""

import importlib.util
import logging
import os

from torch._logging import _native, _registrations, _trace  # noqa: F401  (the names must be known before they are read)
from torch._logging._format import make_formatter
from torch._logging._registry import DEFAULT_LOG_LEVEL, LogState, artifact_of, log_registry, log_state

LOG_ENV_VAR = "TORCH_LOGS"
LOG_OUT_ENV_VAR = "TORCH_LOGS_OUT"
LOG_FORMAT_ENV_VAR = "TORCH_LOGS_FORMAT"
DEFAULT_LOGGING = {"autograd": logging.INFO, "build": True, "registration": True}

log = logging.getLogger("torch._logging")
_SIGNS = {"+": logging.DEBUG, "-": logging.ERROR}


# --- texts -----------------------------------------------------------------------------------------------


def help_message(verbose=False):
    """A help text with the available names; `verbose` adds the rarely used ones."""
    shown = log_registry.artifact_names if verbose else log_registry.visible_artifacts
    names = "\n".join(f"  {name}" for name in ["all", *sorted(log_registry.log_alias_to_log_qnames)])
    artifacts = "\n".join(f"  {name:<18}{log_registry.artifact_descriptions[name]}" for name in sorted(shown))
    heading = "Registered names" if verbose else "Visible registered names (TORCH_LOGS=+help shows all)"
    return f"""
TORCH_LOGS is a list of names with commas between them.

  TORCH_LOGS="autograd"              the component's loggers write what is INFO and above
  TORCH_LOGS="+autograd"             and DEBUG
  TORCH_LOGS="-autograd"             ERROR and above only
  TORCH_LOGS="allocator,+autograd"   the artifact allocator too
  TORCH_LOGS="+some.module"          the logger of a Python module, and those of its sub-modules

TORCH_LOGS_OUT=FILE writes to FILE as well. TORCH_LOGS_FORMAT="%(levelname)s: %(message)s" sets how lines look; keys
are levelname, levelno, message, name, pathname, filename, lineno and asctime; the words short and basic stand for
Python's own format.

{heading}
{names}
{artifacts}
"""


def _known_names():
    return ", ".join(sorted({"all", *log_registry.log_alias_to_log_qnames, *log_registry.artifact_names}))


def _invalid_settings_err_msg(settings, verbose=False):
    return (
        f"\nInvalid log settings: {settings}, must be a comma separated list of registered log names, registered "
        f'artifact names or fully qualified module names. TORCH_LOGS="help" tells more.\n'
        f"Valid settings:\n{_known_names()}\n"
    )


# --- reading -----------------------------------------------------------------------------------------------


def _is_valid_module(qname):
    try:
        return importlib.util.find_spec(qname) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _enable_all(state, level):
    state.enable_log("torch", level)
    for alias, qnames in log_registry.log_alias_to_log_qnames.items():
        outside = [q for q in qnames if q != "torch" and not q.startswith("torch.")]
        if alias != "torch" and outside:
            state.enable_log(outside, level)


def _enable_module(state, qname, level):
    log_registry.register_child_log(qname)
    state.enable_log(qname, level)


def _parse_log_settings(settings):
    """The LogState that a value of TORCH_LOGS means. ValueError: a name is unknown, or it asks for help."""
    state = LogState()
    for part in settings.split(","):
        word = part.strip()
        name = word.lstrip("+-")
        if not word:
            continue
        if name == "help":
            raise ValueError(help_message(verbose=word != "help"))
        if len(word) - len(name) > 1:
            raise ValueError(_invalid_settings_err_msg(settings))
        level = _SIGNS.get(word[0], logging.INFO)
        if name == "all":
            _enable_all(state, level)
        elif log_registry.is_log(name):
            state.enable_log(log_registry.log_alias_to_log_qnames[name], level)
        elif log_registry.is_artifact(name):
            state.enable_artifact(name)
        elif name and _is_valid_module(name):
            _enable_module(state, name, level)
        else:
            raise ValueError(_invalid_settings_err_msg(settings))
    return state


def _enable_value(state, name, value):
    """One argument of set_logs."""
    levels = sorted(set(logging.getLevelNamesMapping().values()), reverse=True)
    if name == "all" or log_registry.is_log(name):
        if isinstance(value, bool) or value not in levels:
            raise ValueError(
                f"Unrecognized log level for log {name}: {value}, valid level values are: {','.join(map(str, levels))}"
            )
        if name == "all":
            _enable_all(state, value)
        else:
            state.enable_log(log_registry.log_alias_to_log_qnames[name], value)
    elif log_registry.is_artifact(name):
        if not isinstance(value, bool):
            raise ValueError(f"Expected bool to enable artifact {name}, received {value}")
        if value:
            state.enable_artifact(name)
    elif _is_valid_module(name):
        _enable_module(state, name, logging.INFO if value is True else DEFAULT_LOG_LEVEL if value is False else value)
    else:
        raise ValueError(f"Unrecognized log or artifact name passed to set_logs: {name}. Known are: {_known_names()}")


# --- applying ---------------------------------------------------------------------------------------------


class _OwnHandler:
    """Marks handlers that _apply installed, to distinguish them from the user's."""


class _StderrHandler(logging.StreamHandler, _OwnHandler):
    pass


class _FileHandler(logging.StreamHandler, _OwnHandler):
    pass


_files = {}  # path -> file; never closed, because another thread may be writing a C++ line to it


def _output():
    """The file of TORCH_LOGS_OUT, or None."""
    path = os.environ.get(LOG_OUT_ENV_VAR)
    if path and path not in _files:
        try:
            _files[path] = open(path, "a")
        except OSError as e:
            raise type(e)(e.errno, f"{e.strerror}; {LOG_OUT_ENV_VAR} names it", path) from None
    return _files.get(path)


def _set_handlers(logger, formatter):
    for handler in [h for h in logger.handlers if isinstance(h, _OwnHandler)]:
        logger.removeHandler(handler)
    if formatter is None:
        return
    handlers = [_StderrHandler()]
    if _output():
        handlers.append(_FileHandler(_output()))
    for handler in handlers:
        handler.setLevel(logging.DEBUG)
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    logger.propagate = False


def configure_artifact_log(logger):
    """Set the level of an artifact's logger, and its handlers if the artifact has its own format."""
    artifact = artifact_of(logger.name)
    if log_state.is_artifact_enabled(artifact):
        logger.setLevel(logging.DEBUG)
    elif log_registry.is_off_by_default(artifact):
        logger.setLevel(DEFAULT_LOG_LEVEL)
    else:
        logger.setLevel(logging.NOTSET)
    own = log_registry.artifact_log_formatters.get(artifact)
    below_ours = any(logger.name.startswith(qname + ".") for qname in _handled())
    _set_handlers(logger, own or (make_formatter() if not below_ours else None))


def _handled():
    return log_registry.get_log_qnames() | log_registry.get_child_log_qnames()


def _apply():
    formatter = make_formatter()
    for qname in _handled():
        logger = logging.getLogger(qname)
        logger.setLevel(DEFAULT_LOG_LEVEL if qname == "torch" else logging.NOTSET)
        _set_handlers(logger, formatter)
    for qname, level in log_state.get_log_level_pairs():
        logging.getLogger(qname).setLevel(level)
    for artifact in log_registry.artifact_names:
        log_registry.register_artifact_log("torch.__" + artifact)
    for qname in log_registry.get_artifact_log_qnames():
        configure_artifact_log(logging.getLogger(qname))
    out = _output()
    _native.apply(
        lambda artifact: logging.getLogger("torch.__" + artifact).isEnabledFor(logging.DEBUG), out.fileno() if out else -1
    )


def _set_log_state(state):
    log_state.log_qname_to_level = state.log_qname_to_level
    log_state.artifact_names = state.artifact_names


def _get_log_state():
    return log_state


def _init_logs(log_file_name=None):
    """Read the environment's settings and apply them."""
    if log_file_name:
        os.environ[LOG_OUT_ENV_VAR] = log_file_name
    _set_log_state(_parse_log_settings(os.environ.get(LOG_ENV_VAR, "")))
    _trace.set_up()
    _apply()


def set_logs(
    *,
    all=None,
    torch=None,
    autograd=None,
    allocator=False,
    build=False,
    dataloader=False,
    dispatch=False,
    onednn=False,
    registration=False,
    serialization=False,
    modules=None,
    **registered,
):
    """Set the levels of components and switch artifacts on; what is not named goes back to its default.

    all, torch, autograd, and further components that were registered: a level of Python's logging; artifacts: True;
    modules: a dict of names of Python modules (or of components and artifacts) to levels (or True). Where the
    environment has TORCH_LOGS, that counts, and this call does nothing. ValueError: a name is unknown, or its value
    is of the wrong kind; TypeError: a keyword that no component or artifact has."""
    if LOG_ENV_VAR in os.environ:
        log.warning("TORCH_LOGS is set in the environment: the call of set_logs is ignored")
        return
    for name in registered:
        if not (log_registry.is_log(name) or log_registry.is_artifact(name)):
            raise TypeError(f"set_logs() got an unexpected keyword argument '{name}'. Known are: {_known_names()}")
    components = {"all": all, "torch": torch, "autograd": autograd}
    artifacts = {
        "allocator": allocator,
        "build": build,
        "dataloader": dataloader,
        "dispatch": dispatch,
        "onednn": onednn,
        "registration": registration,
        "serialization": serialization,
    }
    state = LogState()
    for name, value in {**components, **artifacts, **registered, **(modules or {})}.items():
        if value is not None:
            _enable_value(state, name, value)
    _set_log_state(state)
    _apply()


def getArtifactLogger(module_qname, artifact_name):
    """The logger of an artifact for a module: what it writes is shown while the artifact is on.

    ValueError: no artifact is called so (see torch._logging._internal.register_artifact)."""
    if not log_registry.is_artifact(artifact_name):
        raise ValueError(
            f"Artifact name: {artifact_name!r} not registered, please call register_artifact("
            f"{artifact_name!r}, ...) first. Known are: {', '.join(sorted(log_registry.artifact_names))}"
        )
    qname = f"{module_qname}.__{artifact_name}"
    logger = logging.getLogger(qname)
    log_registry.register_artifact_log(qname)
    configure_artifact_log(logger)
    return logger
