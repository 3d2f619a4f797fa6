"""The former name of torch.fx.passes.infra.pass_manager."""

from torch.fx.passes.infra.pass_manager import PassManager, this_before_that_pass_constraint  # noqa: F401
