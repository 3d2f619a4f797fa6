// Work, for Python.

#include <torch/csrc/distributed/c10d/Work.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {
namespace {

const char* const kWorkDoc =
    R"(A collective under way. Functions of torch.distributed return one if `async_op` is True.

`wait` waits for its end and raises its error.

Example:
    >>> torch.distributed.Work().is_completed()
    False
)";

// Sets the result of a torch.futures.Future when the work ends, maybe on a thread of the backend.
py::object future_of(const std::shared_ptr<Work>& work) {
  py::object future = py::module_::import("torch.futures").attr("Future")();
  std::shared_ptr<py::object> held(new py::object(future), [](py::object* o) {
    torch::gil_scoped_acquire gil;
    delete o;
  });
  // The work runs this itself, so that it is alive then. A reference to it would be a cycle.
  work->when_finished([held, w = work.get()] {
    torch::gil_scoped_acquire gil;
    try {
      if (auto error = w->exception()) {
        held->attr("set_exception")(to_python(error));
      } else {
        held->attr("set_result")(py::cast(w->result));
      }
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("torch.distributed.Work.get_future");
    }
  });
  return future;
}

}  // namespace

void bind_work(py::module_& module) {
  py::class_<Work, std::shared_ptr<Work>>(module, "Work", kWorkDoc)
      .def(py::init<>())
      .def("is_completed", &Work::is_completed, "Whether the work has ended.")
      .def("is_success", &Work::is_success, "Whether it has ended without an error.")
      .def("exception", [](Work& w) { return to_python(w.exception()); }, "Its error, or None.")
      .def("wait", &Work::wait, py::arg("timeout") = Milliseconds(0), ReleaseGil(),
           "Waits for the end, raises the error of the work, and gives True.")
      .def("synchronize", [](Work& w) { w.wait(); }, ReleaseGil(), "The same as `wait` on the CPU.")
      .def("result", [](Work& w) { return w.result; }, "The tensors that the work has filled.")
      .def("get_future", &future_of, "A torch.futures.Future with the list of tensors.")
      .def("abort", &Work::abort, ReleaseGil(), "Ends the work with an error.")
      .def("source_rank", &Work::source_rank, "Of a message from any rank: the sender.")
      .def("_source_rank", &Work::source_rank);
}

}  // namespace c10d
