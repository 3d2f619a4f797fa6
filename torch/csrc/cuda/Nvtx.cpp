// Ranges and marks for NVIDIA's profilers: torch.cuda.nvtx, and the operators' ranges of emit_nvtx.

#include <torch/csrc/cuda/parts.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <ATen/core/profiler/Arguments.h>
#include <ATen/core/profiler/Collector.h>
#include <nvtx3/nvToolsExt.h>

namespace py = pybind11;
using namespace at::profiler;

namespace torch::cuda {
namespace {

// "[2, 3]"; "[]" for what is no tensor. Of a list: "[[2, 3], [4]]".
std::string text_of_sizes(const Argument& argument) {
  std::string text;
  for (const TensorInfo& tensor : argument.tensors) {
    std::string sizes;
    for (int64_t size : tensor.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    text += (text.empty() ? "[" : ", [") + sizes + "]";
  }
  if (argument.kind == Argument::OneTensor) return text;
  return "[" + text + "]";
}

// "aten::mm, seq = 3, sizes = [[2, 3], [3, 4]]"
std::string text_of_range(const Thread& thread, const Range& range) {
  std::string text = range.op ? range.op->name : thread.names[static_cast<size_t>(range.name)];
  if (range.kind == RangeKind::evaluate) text = "autograd::engine::evaluate_function: " + text;
  if (range.sequence_nr >= 0) text += ", seq = " + std::to_string(range.sequence_nr);
  if (range.arguments < 0) return text;
  std::string sizes;
  for (const Argument& argument :
       read_arguments(thread.words, static_cast<size_t>(range.arguments)))
    sizes += (sizes.empty() ? "" : ", ") + text_of_sizes(argument);
  return text + ", sizes = [" + sizes + "]";
}

const RangeListener kMarker{[](const Thread& thread, const Range& range, uint64_t) {
  nvtxRangePushA(text_of_range(thread, range).c_str());
}, [] { nvtxRangePop(); }};

}  // namespace

void init_nvtx(py::module& m) {
  m.def("nvtx_range_push", [](const char* text) { return nvtxRangePushA(text); });
  m.def("nvtx_range_pop", [] { return nvtxRangePop(); });
  m.def("nvtx_range_start", [](const char* text) { return nvtxRangeStartA(text); });
  m.def("nvtx_range_end", [](nvtxRangeId_t id) { nvtxRangeEnd(id); });
  m.def("nvtx_mark", [](const char* text) { nvtxMarkA(text); });
  m.def("nvtx_marks_operators", [] { set_range_listener(kMarks, &kMarker); });
}

}  // namespace torch::cuda
#else
namespace torch::cuda {
void init_nvtx(pybind11::module&) {}
}  // namespace torch::cuda
#endif
