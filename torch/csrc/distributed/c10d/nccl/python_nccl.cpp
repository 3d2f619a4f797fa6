// Builds torch._C._distributed_nccl, or that of the emulated device. Importing it opens no library.

#include <torch/csrc/distributed/c10d/nccl/ProcessGroupNCCL.h>
#include <torch/csrc/distributed/c10d/python_errors.h>

#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {
namespace {

const char* const kNcclDoc =
    R"(Collectives of tensors on GPUs by NCCL; `init_process_group("nccl")` makes one.

A collective runs on a stream of the group. `Work.wait` makes the current stream wait for it, and not the program.

Args:
    store (Store): where the ranks of the group find each other
    rank (int): the rank of this process
    size (int): how many ranks there are
    options (ProcessGroupNCCL.Options): how long collectives may take, and the priority of streams

Raises:
    RuntimeError: there is no GPU, or no NCCL
)";

const char* const kOptionsDoc = R"(The options of ProcessGroupNCCL.

Attributes:
    is_high_priority_stream (bool): whether collectives go before other work of the GPU
    _timeout (timedelta): how long a collective may take, 10 minutes by default
    _blocking_wait (bool): whether `Work.wait` waits on the host and raises the errors of collectives
)";

std::string version() {
  int number = 0;
  nccl::functions().version(&number);
  return std::to_string(number / 10000) + "." + std::to_string(number % 10000 / 100) + "." +
         std::to_string(number % 100);
}

}  // namespace
}  // namespace c10d

PYBIND11_MODULE(C10D_NCCL_MODULE, module) {
  namespace py = pybind11;
  using namespace c10d;
  using Options = ProcessGroupNCCL::Options;
  module.doc() = "Collectives by NCCL.";
  py::module_::import("torch._C._distributed_c10d");
  py::register_local_exception_translator(translate);
  py::class_<ProcessGroupNCCL, Backend, std::shared_ptr<ProcessGroupNCCL>> group(
      module, "ProcessGroupNCCL", kNcclDoc);
  py::class_<Options>(group, "Options", kOptionsDoc)
      .def(py::init([](bool is_high_priority_stream) {
    Options made;
    made.is_high_priority_stream = is_high_priority_stream;
    return made;
  }),
           py::arg("is_high_priority_stream") = false)
      .def_readwrite("is_high_priority_stream", &Options::is_high_priority_stream)
      .def_readwrite("_timeout", &Options::timeout)
      .def_readwrite("_blocking_wait", &Options::blocking_wait);
  group
      .def(py::init([](std::shared_ptr<Store> store, int rank, int size, const Options& options) {
    torch::gil_scoped_release release;
    return std::shared_ptr<ProcessGroupNCCL>(
        new ProcessGroupNCCL(std::move(store), rank, size, options),
        delete_without_gil<ProcessGroupNCCL>);
  }),
           py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("options"))
      .def("_start_coalescing", &ProcessGroupNCCL::start_coalescing,
           "Collects the messages from here on.")
      .def("_end_coalescing", &ProcessGroupNCCL::end_coalescing, ReleaseGil(),
           "Begins the collected messages together.")
      .def_property_readonly("options", &ProcessGroupNCCL::options);
  module.def("version", &version, "The version of the library that is installed.");
}
