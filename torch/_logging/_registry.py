"""The names of logs, and which of them are on."""

import logging
from dataclasses import dataclass, field

DEFAULT_LOG_LEVEL = logging.WARNING


@dataclass
class LogRegistry:
    """Components (short names for one or more loggers, switched by level) and artifacts (switched on or off)."""

    log_alias_to_log_qnames: dict = field(default_factory=dict)
    artifact_log_qnames: set = field(default_factory=set)
    child_log_qnames: set = field(default_factory=set)
    artifact_names: set = field(default_factory=set)
    visible_artifacts: set = field(default_factory=set)
    artifact_descriptions: dict = field(default_factory=dict)
    off_by_default_artifact_names: set = field(default_factory=set)
    artifact_log_formatters: dict = field(default_factory=dict)

    def is_artifact(self, name):
        """Whether an artifact has this name."""
        return name in self.artifact_names

    def is_log(self, alias):
        """Whether a component has this name."""
        return alias in self.log_alias_to_log_qnames

    def register_log(self, alias, log_qnames):
        """Make `alias` a name for one logger or a list of them."""
        self.log_alias_to_log_qnames[alias] = [log_qnames] if isinstance(log_qnames, str) else list(log_qnames)

    def register_artifact_name(self, name, description, visible, off_by_default, log_format):
        """Register an artifact; `log_format` is its own format in the syntax of Python's logging."""
        self.artifact_names.add(name)
        self.artifact_descriptions[name] = description
        (self.visible_artifacts.add if visible else self.visible_artifacts.discard)(name)
        (self.off_by_default_artifact_names.add if off_by_default else self.off_by_default_artifact_names.discard)(name)
        if log_format is not None:
            self.artifact_log_formatters[name] = logging.Formatter(log_format)

    def register_artifact_log(self, artifact_log_qname):
        """Record a logger that getArtifactLogger created."""
        self.artifact_log_qnames.add(artifact_log_qname)

    def register_child_log(self, log_qname):
        """Record the logger of a module that a setting names."""
        self.child_log_qnames.add(log_qname)

    def get_log_qnames(self):
        """The loggers of all components."""
        return {qname for qnames in self.log_alias_to_log_qnames.values() for qname in qnames}

    def get_artifact_log_qnames(self):
        """The loggers of artifacts made so far."""
        return set(self.artifact_log_qnames)

    def get_child_log_qnames(self):
        """The loggers of modules that settings named."""
        return set(self.child_log_qnames)

    def is_off_by_default(self, artifact):
        """Whether the artifact is enabled only by its own name, not by a component's level."""
        return artifact in self.off_by_default_artifact_names


@dataclass
class LogState:
    """Levels of loggers, and the artifacts that are on."""

    log_qname_to_level: dict = field(default_factory=dict)
    artifact_names: set = field(default_factory=set)

    def enable_artifact(self, name):
        """Switch an artifact on."""
        self.artifact_names.add(name)

    def is_artifact_enabled(self, name):
        """Whether the artifact was switched on by its name."""
        return name in self.artifact_names

    def enable_log(self, log_qnames, log_level):
        """Give loggers a level."""
        for qname in [log_qnames] if isinstance(log_qnames, str) else log_qnames:
            self.log_qname_to_level[qname] = log_level

    def get_log_level_pairs(self):
        """(logger, level) for each logger that has one."""
        return self.log_qname_to_level.items()

    def clear(self):
        """Forget everything."""
        self.log_qname_to_level.clear()
        self.artifact_names.clear()


log_registry = LogRegistry()
log_state = LogState()


def register_log(setting_name, log_name):
    """Make `setting_name` a component of TORCH_LOGS: short for the logger `log_name`, or for a list of loggers."""
    log_registry.register_log(setting_name, log_name)


def register_artifact(setting_name, description, visible=False, off_by_default=False, log_format=None):
    """Make `setting_name` an artifact of TORCH_LOGS.

    description: for the help text; visible: in the short help text too; off_by_default: levels of components leave
    it off; log_format: a format of its own, as Python's logging has them."""
    log_registry.register_artifact_name(setting_name, description, visible, off_by_default, log_format)


def artifact_of(qname):
    """The artifact that a logger of this name belongs to, or None."""
    return qname.rsplit(".__", 1)[1] if ".__" in qname else None
