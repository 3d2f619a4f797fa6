// Backend and ProcessGroupGloo, for Python. torch.distributed.ProcessGroup, which chooses the
// backend of a device, is written in Python.

#include <torch/csrc/distributed/c10d/Backend.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>
#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.h>
#endif

namespace c10d {
namespace {

using Lists = std::vector<Tensors>;

void bind_backend(py::module_& module) {
  py::class_<Backend, std::shared_ptr<Backend>>(
      module, "Backend", "The collectives of one engine for one group of ranks.")
      .def("rank", &Backend::rank)
      .def("size", &Backend::size)
      .def("name", &Backend::name)
      .def("broadcast", &Backend::broadcast, py::arg("tensors"),
           py::arg("opts") = BroadcastOptions(), ReleaseGil())
      .def("allreduce", &Backend::allreduce, py::arg("tensors"),
           py::arg("opts") = AllreduceOptions(), ReleaseGil())
      .def("allreduce_coalesced", &Backend::allreduce_coalesced, py::arg("tensors"),
           py::arg("opts") = AllreduceCoalescedOptions(), ReleaseGil())
      .def("reduce", &Backend::reduce, py::arg("tensors"), py::arg("opts") = ReduceOptions(),
           ReleaseGil())
      .def("allgather", &Backend::allgather, py::arg("output_tensors"), py::arg("input_tensors"),
           py::arg("opts") = AllgatherOptions(), ReleaseGil())
      .def("_allgather_base", &Backend::allgather_base, py::arg("output"), py::arg("input"),
           py::arg("opts") = AllgatherOptions(), ReleaseGil())
      .def("allgather_coalesced", &Backend::allgather_coalesced, py::arg("output_lists"),
           py::arg("input_list"), py::arg("opts") = AllgatherOptions(), ReleaseGil())
      .def("allgather_into_tensor_coalesced", &Backend::allgather_into_tensor_coalesced,
           py::arg("outputs"), py::arg("inputs"), py::arg("opts") = AllgatherOptions(),
           ReleaseGil())
      .def("gather", &Backend::gather, py::arg("output_tensors"), py::arg("input_tensors"),
           py::arg("opts") = GatherOptions(), ReleaseGil())
      .def("scatter", &Backend::scatter, py::arg("output_tensors"), py::arg("input_tensors"),
           py::arg("opts") = ScatterOptions(), ReleaseGil())
      .def("reduce_scatter", &Backend::reduce_scatter, py::arg("output_tensors"),
           py::arg("input_tensors"), py::arg("opts") = ReduceScatterOptions(), ReleaseGil())
      .def("_reduce_scatter_base", &Backend::reduce_scatter_base, py::arg("outputTensor"),
           py::arg("inputTensor"), py::arg("opts") = ReduceScatterOptions(), ReleaseGil())
      .def("reduce_scatter_tensor_coalesced", &Backend::reduce_scatter_tensor_coalesced,
           py::arg("outputs"), py::arg("inputs"), py::arg("opts") = ReduceScatterOptions(),
           ReleaseGil())
      .def("alltoall", &Backend::alltoall, py::arg("output_tensors"), py::arg("input_tensors"),
           py::arg("opts") = AllToAllOptions(), ReleaseGil())
      .def("alltoall_base", &Backend::alltoall_base, py::arg("output"), py::arg("input"),
           py::arg("output_split_sizes"), py::arg("input_split_sizes"),
           py::arg("opts") = AllToAllOptions(), ReleaseGil())
      .def("send", &Backend::send, py::arg("tensors"), py::arg("dstRank"), py::arg("tag"),
           ReleaseGil())
      .def("recv", &Backend::recv, py::arg("tensors"), py::arg("srcRank"), py::arg("tag"),
           ReleaseGil())
      .def("recv_anysource", &Backend::recv_anysource, py::arg("tensors"), py::arg("tag"),
           ReleaseGil())
      .def("barrier", &Backend::barrier, py::arg("opts") = BarrierOptions(), ReleaseGil())
      .def("monitored_barrier", &Backend::monitored_barrier, py::arg("timeout") = std::nullopt,
           py::arg("wait_all_ranks") = false, ReleaseGil())
      .def("_get_sequence_number_for_group", &Backend::sequence_number)
      .def("_set_default_timeout", &Backend::set_timeout, py::arg("timeout"))
      .def("abort", &Backend::abort, ReleaseGil())
      .def("shutdown", &Backend::shutdown, ReleaseGil());
}

#ifdef USE_C10D_GLOO
const char* const kGlooDoc =
    R"(Collectives on the CPU by Gloo over TCP; `init_process_group("gloo")` makes one.

The ranks connect to each other at the interface that GLOO_SOCKET_IFNAME names, or at the loopback device if they meet at a
store there, or else at the address of the machine's name.

Args:
    store (Store): where the ranks of the group find each other
    rank (int): the rank of this process
    size (int): how many ranks there are
    timeout (timedelta, default 30 minutes): for a collective

Raises:
    DistBackendError: a rank did not come, or no connection was possible

Example:
    >>> group = torch.distributed.ProcessGroupGloo(torch.distributed.HashStore(), 0, 1)
    >>> group.allreduce([torch.ones(2)]).wait()
    True
)";

struct GlooOptions {
  Milliseconds timeout = ProcessGroupGloo::Options().timeout;
  std::vector<std::shared_ptr<gloo::transport::Device>> devices;
  int threads = 2;
  bool compare = false;
};

std::shared_ptr<ProcessGroupGloo> new_gloo(const std::shared_ptr<Store>& store, int rank, int size,
                                           const GlooOptions& o) {
  torch::gil_scoped_release release;
  ProcessGroupGloo::Options options;
  options.timeout = o.timeout;
  options.threads = o.threads;
  options.compare = o.compare;
  if (!o.devices.empty()) options.device = o.devices[0];
  std::shared_ptr<ProcessGroupGloo> group(
      new ProcessGroupGloo(store, rank, size, std::move(options)),
      delete_without_gil<ProcessGroupGloo>);
  watch(group);
  return group;
}

void bind_gloo(py::module_& module) {
  py::class_<ProcessGroupGloo, Backend, std::shared_ptr<ProcessGroupGloo>> group(
      module, "ProcessGroupGloo", kGlooDoc);
  py::class_<gloo::transport::Device, std::shared_ptr<gloo::transport::Device>>(
      group, "Device", "Where Gloo listens.")
      .def("__repr__",
           [](const gloo::transport::Device& d) { return "<Gloo at " + d.str() + ">"; });
  py::class_<GlooOptions>(group, "_Options", "The options of ProcessGroupGloo.")
      .def(py::init<>())
      .def_readwrite("_timeout", &GlooOptions::timeout)
      .def_readwrite("_devices", &GlooOptions::devices)
      .def_readwrite("_threads", &GlooOptions::threads)
      .def_readwrite("_compare", &GlooOptions::compare);
  group
      .def(
          py::init([](const std::shared_ptr<Store>& store, int rank, int size,
                      const GlooOptions& options) { return new_gloo(store, rank, size, options); }),
          py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("options"))
      .def(py::init(
               [](const std::shared_ptr<Store>& store, int rank, int size, Milliseconds timeout) {
    GlooOptions options;
    options.timeout = timeout;
    return new_gloo(store, rank, size, options);
  }),
           py::arg("store"), py::arg("rank"), py::arg("size"),
           py::arg("timeout") = ProcessGroupGloo::Options().timeout);
  module.def("_gloo_device", &gloo_device, py::arg("interface"), py::arg("hostname"));
  module.attr("_Options") = group.attr("_Options");
}
#endif

}  // namespace

void bind_backends(py::module_& module) {
  bind_backend(module);
#ifdef USE_C10D_GLOO
  bind_gloo(module);
#endif
}

}  // namespace c10d
