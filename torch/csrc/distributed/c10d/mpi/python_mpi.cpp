// Builds torch._C._distributed_mpi. Importing it loads MPI and does not start it.

#include <torch/csrc/distributed/c10d/mpi/ProcessGroupMPI.h>
#include <torch/csrc/distributed/c10d/python_errors.h>

namespace c10d {
namespace {

const char* const kMpiDoc =
    R"(Collectives on the CPU by MPI, for programs that mpirun starts; `init_process_group("mpi")` makes one.

Args:
    store (Store, optional): where ranks whose collective timed out tell each other what they were in
    ranks (list of int): the processes of the group, counted over all that mpirun started
    timeout (timedelta): for a collective

Raises:
    ValueError: there is no such rank, or this process is not among them
)";

}  // namespace
}  // namespace c10d

PYBIND11_MODULE(_distributed_mpi, module) {
  namespace py = pybind11;
  using namespace c10d;
  module.doc() = "Collectives by MPI.";
  py::module_::import("torch._C._distributed_c10d");
  py::register_local_exception_translator(translate);
  py::class_<ProcessGroupMPI, Backend, std::shared_ptr<ProcessGroupMPI>>(module, "ProcessGroupMPI",
                                                                         kMpiDoc)
      .def(py::init([](std::shared_ptr<Store> store, const std::vector<int>& ranks,
                       Milliseconds timeout) {
    torch::gil_scoped_release release;
    return std::shared_ptr<ProcessGroupMPI>(new ProcessGroupMPI(std::move(store), ranks, timeout),
                                            delete_without_gil<ProcessGroupMPI>);
  }),
           py::arg("store"), py::arg("ranks"), py::arg("timeout"));
  module.def("world", &mpi_world, ReleaseGil(), "The rank of this process and the number of all.");
  module.def("finalize", &mpi_finalize, py::arg("failed"), ReleaseGil(), "Ends MPI.");
}
