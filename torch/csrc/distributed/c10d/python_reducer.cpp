// Reducer and GradBucket, for torch.nn.parallel.DistributedDataParallel.

#include <torch/csrc/distributed/c10d/python_c10d.h>
#include <torch/csrc/distributed/c10d/reducer.h>

namespace c10d {
namespace {

const char* const kBucketDoc =
    R"(Gradients that are averaged at once: what a communication hook gets.

Example:
    >>> hook = lambda state, bucket: torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook(state, bucket)
)";
const char* const kReducerDoc =
    R"(Averages gradients in buckets; made by torch.nn.parallel.DistributedDataParallel.

Args:
    params (list of Tensor): the parameters
    names (list of str): their names, for errors
    backend (Backend, optional): what sums the buckets; a communication hook may do it instead

Example:
    >>> torch.distributed.Reducer.__name__
    'Reducer'
)";

std::shared_ptr<py::object> keep(py::object object) {
  return {new py::object(std::move(object)), [](py::object* o) {
    torch::gil_scoped_acquire gil;
    delete o;
  }};
}

// A Python function (state, bucket) that gives a Future of a tensor, or of a list with one.
void set_hook(Reducer& reducer, const py::object& state, const py::object& hook) {
  auto function = keep(hook), argument = keep(state);
  reducer.set_comm_hook([function, argument](GradBucket& bucket) -> Reducer::Waiter {
    torch::gil_scoped_acquire gil;
    auto future = keep((*function)(*argument, bucket));
    return [future] {
      torch::gil_scoped_acquire gil;
      py::object result = future->attr("wait")();
      if (py::isinstance<py::list>(result) || py::isinstance<py::tuple>(result))
        result = result[py::int_(0)];
      return result.cast<at::Tensor>();
    };
  });
}

}  // namespace

void bind_reducer(py::module_& module) {
  py::class_<GradBucket>(module, "GradBucket", kBucketDoc)
      .def("index", [](const GradBucket& b) { return b.index; }, "The number of the bucket.")
      .def("buffer", [](const GradBucket& b) { return b.buffer; },
           "All gradients, one after the other.")
      .def("gradients", [](const GradBucket& b) { return b.gradients; },
           "The gradients, in the memory of the buffer.")
      .def("parameters", [](const GradBucket& b) { return b.parameters; }, "Their parameters.")
      .def("is_last", &GradBucket::is_last, "Whether this is the last bucket of a backward pass.")
      .def("set_buffer", [](GradBucket& b, at::Tensor buffer) { b.buffer = std::move(buffer); },
           py::arg("buffer"), "Replaces the buffer.");
  py::class_<Reducer, std::shared_ptr<Reducer>>(module, "Reducer", kReducerDoc)
      .def(py::init([](Tensors parameters, std::vector<std::string> names,
                       std::shared_ptr<Backend> backend, bool find_unused, bool as_view,
                       bool static_graph, int64_t bucket_bytes, int64_t first_bucket_bytes) {
    Reducer::Options options{find_unused, as_view, static_graph, bucket_bytes, first_bucket_bytes};
    return std::make_shared<Reducer>(std::move(parameters), std::move(names), std::move(backend),
                                     options);
  }),
           py::arg("params"), py::arg("names"), py::arg("backend"),
           py::arg("find_unused_parameters") = false, py::arg("gradient_as_bucket_view") = false,
           py::arg("static_graph") = false,
           py::arg("bucket_bytes_cap") = Reducer::Options().bucket_bytes,
           py::arg("first_bucket_bytes_cap") = Reducer::Options().first_bucket_bytes)
      .def("prepare_for_backward", &Reducer::prepare_for_backward, py::arg("outputs"), ReleaseGil())
      .def("_rebuild_buckets", &Reducer::rebuild_buckets, ReleaseGil())
      .def("_set_static_graph", &Reducer::set_static_graph)
      .def("_set_divisor", &Reducer::set_divisor, py::arg("divisor"))
      .def("_register_comm_hook", &set_hook, py::arg("state"), py::arg("hook"))
      .def("_bucket_sizes", &Reducer::bucket_sizes)
      .def("_bucket_indices", &Reducer::bucket_indices);
}

}  // namespace c10d
