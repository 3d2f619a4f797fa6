// Products of groups of rows, columns or matrices. Offsets say where each group ends.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_grouped_mm_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

constexpr const char* kOp = "_grouped_mm";

void check_operands(const Tensor& a, const Tensor& b, const std::optional<Tensor>& offs,
                    const std::optional<Tensor>& bias, std::optional<ScalarType> out_dtype) {
  const ScalarType type = a.scalar_type();
  TORCH_CHECK(type == kFloat || type == kBFloat16 || type == kHalf, kOp,
              ": mat_a must be float32, bfloat16 or float16, but it is ", dtypeName(type));
  TORCH_CHECK(b.scalar_type() == type, kOp, ": mat_b must be ", dtypeName(type),
              " as mat_a, but it is ", dtypeName(b.scalar_type()));
  TORCH_CHECK(a.dim() == 2 || a.dim() == 3, kOp,
              ": mat_a must have 2 or 3 dimensions, but its shape is ", a.sizes());
  TORCH_CHECK(b.dim() == 2 || b.dim() == 3, kOp,
              ": mat_b must have 2 or 3 dimensions, but its shape is ", b.sizes());
  TORCH_CHECK(a.size(-1) == b.size(-2), kOp,
              ": the columns of mat_a must be as many as the rows of mat_b, but the shapes are ",
              a.sizes(), " and ", b.sizes());
  TORCH_CHECK(!bias || !bias->defined(), kOp, ": bias is not supported yet");
  TORCH_CHECK(out_dtype.value_or(type) == type, kOp, ": out_dtype must be that of mat_a, ",
              dtypeName(type), ", but it is ", dtypeName(*out_dtype));
  const bool has_offsets = offs && offs->defined(), flat = a.dim() == 2 || b.dim() == 2;
  TORCH_CHECK(
      has_offsets == flat, kOp,
      flat ? ": a matrix of 2 dimensions needs offs" : ": offs is for matrices of 2 dimensions");
  if (!has_offsets) return;
  TORCH_CHECK(offs->dim() == 1 && offs->scalar_type() == kInt, kOp,
              ": offs must be 1-D of type int32, but it is ", offs->dim(), "-D of type ",
              dtypeName(offs->scalar_type()));
  for (const Tensor* t : {&a, &b}) {
    TORCH_CHECK(t->dim() == 2 || t->size(0) == offs->size(0), kOp, ": there are ", offs->size(0),
                " groups, but ", t->size(0), " matrices");
  }
}

// Where each group ends; the ends ascend and are at most `size`.
std::vector<int64_t> group_ends(const Tensor& offs, int64_t size) {
  std::vector<int64_t> ends = int64_values(at::_to_copy(offs, TensorOptions(kLong)));
  int64_t before = 0;
  for (int64_t end : ends) {
    TORCH_CHECK(end >= before && end <= size, kOp, ": offs must ascend from 0 to at most ", size,
                ", but ", end, " follows ", before);
    before = end;
  }
  return ends;
}

}  // namespace

Tensor _grouped_mm(const Tensor& self, const Tensor& mat2, const std::optional<Tensor>& offs,
                   const std::optional<Tensor>& bias, std::optional<ScalarType> out_dtype) {
  check_operands(self, mat2, offs, bias, out_dtype);
  if (!offs || !offs->defined()) {
    TORCH_CHECK(self.size(0) == mat2.size(0), kOp, ": there are ", self.size(0),
                " matrices in mat_a, but ", mat2.size(0), " in mat_b");
    return at::bmm(self, mat2);
  }
  const bool rows = self.dim() == 2 && mat2.dim() == 3, columns = self.dim() == 3;
  const int64_t size = columns ? mat2.size(1) : rows ? self.size(0) : self.size(1);
  const std::vector<int64_t> ends = group_ends(*offs, size);
  std::vector<Tensor> parts;
  int64_t begin = 0, group = 0;
  for (int64_t end : ends) {
    const Tensor a =
        columns ? at::select(self, 0, group) : at::slice(self, rows ? 0 : 1, begin, end);
    const Tensor b =
        rows ? at::select(mat2, 0, group) : at::slice(mat2, columns ? 1 : 0, begin, end);
    parts.push_back(at::matmul(a, b));
    begin = end;
    ++group;
  }
  if (!rows && !columns) {
    return parts.empty() ? at::zeros({0, self.size(0), mat2.size(1)}, self.options())
                         : at::stack(parts, 0);
  }
  // What belongs to no group is 0.
  const int64_t rest = size - begin;
  if (rest > 0 || parts.empty())
    parts.push_back(rows ? at::zeros({rest, mat2.size(2)}, self.options())
                         : at::zeros({self.size(1), rest}, self.options()));
  return at::cat(parts, rows ? 0 : 1);
}

}  // namespace at::native
