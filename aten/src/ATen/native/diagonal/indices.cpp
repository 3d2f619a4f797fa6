// tril_indices, triu_indices: the places of the elements of a triangle.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tril_indices_native.h>
#include <ATen/ops/triu_indices_native.h>

namespace at::native {

// How many of row x col elements are on or below the diagonal; -row - 1 <= offset <= col.
static int64_t lower_count(int64_t row, int64_t col, int64_t offset) {
  int64_t first = std::min(row, std::max<int64_t>(0, -offset)),
          full = std::min(std::max(col - offset - 1, first), row);
  __int128 sum = static_cast<__int128>(full - first) * (first + offset + 1 + full + offset) / 2;
  return static_cast<int64_t>(sum + static_cast<__int128>(row - full) * col);
}

static Tensor triangle(const char* op, int64_t row, int64_t col, int64_t offset, bool lower,
                       std::optional<ScalarType> dtype, std::optional<Device> device) {
  TORCH_CHECK(row >= 0, op, ": row must be non-negative, got ", row);
  TORCH_CHECK(col >= 0, op, ": col must be non-negative, got ", col);
  TORCH_CHECK(!device || device->is_cpu() || device->is_meta(), op,
              ": no such device here: ", *device);
  int64_t checked[] = {row, col};
  checked_numel(checked, op);
  offset = std::min(std::max(offset, -row), col);
  // Row i has columns [0, i + offset] below the diagonal, [i + offset, col) above it.
  auto bounds = [&](int64_t i) {
    int64_t edge = i + offset;
    return lower ? std::pair<int64_t, int64_t>(0, std::min(std::max<int64_t>(edge + 1, 0), col))
                 : std::pair<int64_t, int64_t>(std::min(std::max<int64_t>(edge, 0), col), col);
  };
  int64_t below = lower_count(row, col, lower ? offset : offset - 1),
          n = lower ? below : row * col - below;
  int64_t sizes[] = {2, n};
  if (device && device->is_meta())
    return at::empty(sizes, TensorOptions(dtype.value_or(kLong)).device(*device));
  Tensor result = empty_tensor(sizes, dtype.value_or(kLong));
  // The rows that have any.
  int64_t begin = lower ? std::max<int64_t>(0, -offset) : 0,
          end = n == 0  ? begin
                : lower ? row
                        : std::min(row, col - offset);
  dispatch_types<TypeList<int32_t, int64_t>>(result.scalar_type(), op, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* rows = static_cast<T*>(result.data_ptr());
    T* columns = rows + n;
    for (int64_t i = begin; i < end; ++i) {
      auto [from, to] = bounds(i);
      for (int64_t j = from; j < to; ++j) {
        *rows++ = static_cast<T>(i);
        *columns++ = static_cast<T>(j);
      }
    }
  });
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
