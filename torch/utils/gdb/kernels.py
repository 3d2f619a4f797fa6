"""threadIdx and its like in the kernels of the emulated CUDA device, as cuda-gdb has them in those of a GPU."""

import gdb

LIBRARIES = ("libc10_cuda_emulated.so", "libtorch_cuda_emulated.so")
VALUES = {"threadIdx": "thread", "blockIdx": "block", "blockDim": "block_dim", "gridDim": "grid_dim"}


class Position(gdb.Function):
    """$_torch_kernel(NAME): where the running thread of the emulated device is."""

    def __init__(self):
        super().__init__("_torch_kernel")

    def invoke(self, name):
        """Also where gdb reads expressions as C, which has no namespaces: in conditions of breakpoints."""
        language = gdb.parameter("language")
        gdb.execute("set language c++", to_string=True)
        try:
            return gdb.parse_and_eval("::torch_emulated_cuda::position")[VALUES[name.string()]]
        except gdb.error as error:
            raise gdb.GdbError(f"{name.string()}: this program has not used the emulated CUDA device yet ({error})") from None
        finally:
            gdb.execute(f"set language {language}", to_string=True)


def define(objfile):
    """gdb expands its own macros in every expression: `print threadIdx.x`, `break FILE:LINE if blockIdx.x == 2`."""
    if (objfile.filename or "").endswith(LIBRARIES):
        for name in VALUES:
            gdb.execute(f'macro define {name} ($_torch_kernel("{name}"))')


def register():
    """Define them now, or when the device is first used: until then these may be names of the program."""
    Position()
    for objfile in gdb.objfiles():
        define(objfile)
    gdb.events.new_objfile.connect(lambda event: define(event.new_objfile))
