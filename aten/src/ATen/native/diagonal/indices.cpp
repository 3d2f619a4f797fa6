// tril_indices, triu_indices: the indices of a triangle's elements.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/diagonal/diagonal.h>
#include <ATen/ops/tril_indices_native.h>
#include <ATen/ops/triu_indices_native.h>

namespace at::native {

// Sums and products of sizes, which may be as large as an int64_t.
using Wide = __int128;

// The number of row x col elements on or below the diagonal; -row - 1 <= offset <= col.
static int64_t lower_count(Wide row, Wide col, Wide offset) {
  const Wide first = std::min(row, std::max<Wide>(0, -offset)),
             full = std::min(std::max(col - offset - 1, first), row);
  const Wide sum = (full - first) * (first + full + 2 * offset + 1) / 2;
  return static_cast<int64_t>(sum + (row - full) * col);
}

static Tensor triangle(const char* op, int64_t row, int64_t col, int64_t offset, bool lower,
                       std::optional<ScalarType> dtype, std::optional<Device> device) {
  TORCH_CHECK(row >= 0, op, ": row must be non-negative, got ", row);
  TORCH_CHECK(col >= 0, op, ": col must be non-negative, got ", col);
  int64_t checked[] = {row, col};
  checked_numel(checked, op);
  offset = std::min(std::max(offset, -row), col);
  int64_t below = lower_count(row, col, Wide(offset) - (lower ? 0 : 1)),
          n = lower ? below : row * col - below;
  int64_t sizes[] = {2, n};
  Tensor result = empty_tensor(sizes, dtype.value_or(kLong), device_or_default(device));
  TORCH_CHECK_NOT_IMPLEMENTED(result.scalar_type() == kInt || result.scalar_type() == kLong, "\"",
                              op, "\" not implemented for '", toString(result.scalar_type()), "'");
  // The rows that are not empty.
  int64_t begin = lower ? std::max<int64_t>(0, -offset) : 0,
          end = n == 0  ? begin
                : lower ? row
                        : static_cast<int64_t>(std::min<Wide>(row, Wide(col) - offset));
  fill_with(triangle_indices_stub, result, TriangleRows{begin, end, col, offset, lower});
  return result;
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Layout>, std::optional<Device> device, std::optional<bool>) {
  return triangle("tril_indices", row, col, offset, true, dtype, device);
}
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Layout>, std::optional<Device> device, std::optional<bool>) {
  return triangle("triu_indices", row, col, offset, false, dtype, device);
}

}  // namespace at::native
