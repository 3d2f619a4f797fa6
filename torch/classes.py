"""torch.classes: classes of C++ extensions."""

import sys

from torch._classes import classes

classes.__spec__ = __spec__
sys.modules[__name__] = classes
