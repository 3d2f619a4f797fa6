// FLOPs of the operators that PyTorch's profiler counts, by its formulas.

#include <ATen/core/profiler/Arguments.h>

#include <string_view>

namespace at::profiler {

namespace {

using Arguments = std::vector<Argument>;

// Sizes of tensor argument i; null if it is not a tensor with that many dimensions (-1: any).
const std::vector<int64_t>* sizes(const Arguments& arguments, size_t i, int64_t dim) {
  if (i >= arguments.size() || !arguments[i].is_tensor()) return nullptr;
  const auto& found = arguments[i].tensors[0].sizes;
  return dim < 0 || static_cast<int64_t>(found.size()) == dim ? &found : nullptr;
}

int64_t elements(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

// (batch,) rows x inner times (batch,) inner x columns
int64_t matrix_product(const Arguments& arguments, size_t first, int64_t dim) {
  const auto *a = sizes(arguments, first, dim), *b = sizes(arguments, first + 1, dim);
  return a && b ? 2 * elements(*a) * b->back() : 0;
}

// A list of two; a single number applies to both.
bool pair(const Arguments& arguments, size_t i, int64_t (&out)[2]) {
  if (i >= arguments.size() || arguments[i].kind != Argument::Numbers) return false;
  const auto& numbers = arguments[i].numbers;
  if (numbers.empty() || numbers.size() > 2) return false;
  out[0] = numbers.front();
  out[1] = numbers.back();
  return true;
}

// conv2d(input, weight, bias, stride, padding, dilation, groups). The bias is not counted.
int64_t conv2d(const Arguments& arguments) {
  const auto *input = sizes(arguments, 0, 4), *weight = sizes(arguments, 1, 4);
  int64_t stride[2], padding[2], dilation[2];
  if (!input || !weight || !pair(arguments, 3, stride) || !pair(arguments, 4, padding) ||
      !pair(arguments, 5, dilation))
    return 0;
  int64_t outputs = (*input)[0] * (*weight)[0];
  for (int d = 0; d < 2; ++d) {
    int64_t covered = dilation[d] * ((*weight)[2 + d] - 1) + 1;
    int64_t free = (*input)[2 + d] + 2 * padding[d] - covered;
    if (stride[d] <= 0 || free < 0) return 0;
    outputs *= free / stride[d] + 1;
  }
  // The weight's second dimension is the number of channels per group.
  return 2 * outputs * (*weight)[1] * (*weight)[2] * (*weight)[3];
}

}  // namespace

int64_t count_flops(const char* name, const Arguments& arguments) {
  std::string_view op(name);
  if (op == "aten::mm") return matrix_product(arguments, 0, 2);
  if (op == "aten::bmm") return matrix_product(arguments, 0, 3);
  if (op == "aten::addmm") return matrix_product(arguments, 1, 2);
  if (op == "aten::baddbmm") return matrix_product(arguments, 1, 3);
  if (op == "aten::conv2d") return conv2d(arguments);
  if (op == "aten::add" || op == "aten::mul") {
    const auto* first = sizes(arguments, 0, -1);
    return first ? elements(*first) : 0;
  }
  return 0;
}

}  // namespace at::profiler
