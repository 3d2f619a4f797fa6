// Combinations of vectors, indices of triangles, diagonals: meshgrid, cartesian_prod, one_hot,
// tril_indices, diag_embed.

#include <ATen/native/StructuredOutputs.h>
#include <ATen/native/TypeDispatch.h>
#include <ATen/native/ViewUtils.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cartesian_prod_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/combinations_native.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diag_embed_native.h>
#include <ATen/ops/diag_native.h>
#include <ATen/ops/diagflat_native.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/diagonal_copy.h>
#include <ATen/ops/diagonal_copy_native.h>
#include <ATen/ops/diagonal_scatter_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/meshgrid_native.h>
#include <ATen/ops/one_hot_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter_ops.h>
#include <ATen/ops/select.h>
#include <ATen/ops/select_scatter_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/slice_scatter_native.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/trace_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril_indices_native.h>
#include <ATen/ops/triu_indices_native.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  TORCH_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TORCH_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  for (size_t k = 0; k < tensors.size(); ++k) {
    TORCH_CHECK(tensors[k].dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ",
                tensors[k].dim(), "D");
    TORCH_CHECK(tensors[k].scalar_type() == tensors[0].scalar_type(),
                "torch.meshgrid expects all tensors to have the same dtype");
    TORCH_CHECK(tensors[k].device() == tensors[0].device(),
                "torch.meshgrid expects all tensors to have the same device");
  }
  bool swap = indexing == "xy" && tensors.size() >= 2;
  std::vector<Tensor> order(tensors.begin(), tensors.end());
  if (swap) std::swap(order[0], order[1]);
  DimVector shape;
  for (const Tensor& t : order) shape.push_back(t.numel());
  std::vector<Tensor> grids;
  for (size_t k = 0; k < order.size(); ++k) {
    DimVector one(order.size(), 1);
    one[k] = shape[k];
    grids.push_back(at::expand(at::reshape(order[k], one), shape));
  }
  if (swap) std::swap(grids[0], grids[1]);
  return grids;
}

std::vector<Tensor> meshgrid(TensorList tensors) {
  TORCH_WARN_ONCE(
      "torch.meshgrid: the indexing argument will become required in an upcoming release; pass "
      "indexing='ij' for what "
      "it does now.");
  return native::meshgrid(tensors, "ij");
}

Tensor cartesian_prod(TensorList tensors) {
  for (const Tensor& t : tensors)
    TORCH_CHECK(t.dim() == 1, "Expect a 1D vector, but got shape ", t.sizes());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> grids = at::meshgrid(tensors, "ij");
  for (Tensor& g : grids) g = at::flatten(g);
  return at::stack(grids, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  TORCH_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", self.sizes());
  TORCH_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  if (r == 0) return at::zeros({0}, self.options());
  // Rising positions, counted like an odometer whose digits never fall from left to right.
  int64_t n = self.numel();
  std::vector<int64_t> all, at(r);
  for (int64_t k = 0; k < r; ++k) at[k] = with_replacement ? 0 : k;
  bool more = n > 0 && (with_replacement || r <= n);
  while (more) {
    all.insert(all.end(), at.begin(), at.end());
    int64_t k = r - 1;
    while (k >= 0 && at[k] == (with_replacement ? n - 1 : n - r + k)) --k;
    more = k >= 0;
    if (!more) break;
    ++at[k];
    for (int64_t j = k + 1; j < r; ++j) at[j] = with_replacement ? at[k] : at[j - 1] + 1;
  }
  int64_t rows = static_cast<int64_t>(all.size()) / r;
  std::vector<Tensor> columns;
  for (int64_t k = 0; k < r; ++k) {
    Tensor index = empty_tensor({rows}, kLong);
    for (int64_t i = 0; i < rows; ++i) static_cast<int64_t*>(index.data_ptr())[i] = all[i * r + k];
    columns.push_back(at::index_select(self, 0, index));
  }
  return at::stack(columns, 1);
}

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  TORCH_CHECK(self.scalar_type() == kLong,
              "one_hot is only applicable to index tensor of type LongTensor, got ",
              dtypeName(self.scalar_type()));
  TORCH_CHECK(num_classes >= -1,
              "one_hot: num_classes should be positive, or -1 to take it from the input, got ",
              num_classes);
  TORCH_CHECK(self.numel() > 0 || num_classes > 0,
              "Can not infer total number of classes from empty tensor.");
  TORCH_CHECK(self.numel() == 0 || num_classes != 0, "one_hot: num_classes should be positive");
  Tensor flat = at::clone(self, MemoryFormat::Contiguous);
  const int64_t* labels = static_cast<const int64_t*>(flat.data_ptr());
  int64_t most = -1;
  for (int64_t k = 0; k < flat.numel(); ++k) {
    TORCH_CHECK(labels[k] >= 0, "Class values must be non-negative, got ", labels[k]);
    most = std::max(most, labels[k]);
  }
  if (num_classes == -1) num_classes = most + 1;
  TORCH_CHECK(most < num_classes, "Class values must be smaller than num_classes: got class ", most,
              " and num_classes ", num_classes);
  DimVector sizes(self.sizes());
  sizes.push_back(num_classes);
  Tensor result = at::zeros(sizes, self.options());
  int64_t* to = static_cast<int64_t*>(result.data_ptr());
  for (int64_t k = 0; k < flat.numel(); ++k) to[k * num_classes + labels[k]] = 1;
  return result;
}

// --- triangles -----------------------------------------------------------------------------------

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

// --- diagonals -----------------------------------------------------------------------------------

Tensor diag(const Tensor& self, int64_t diagonal) {
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got ",
              self.dim(), "D");
  return self.dim() == 1 ? at::diag_embed(self, diagonal) : at::diagonal_copy(self, diagonal);
}

Tensor diagonal_copy(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  return at::clone(at::diagonal(self, offset, dim1, dim2), MemoryFormat::Contiguous);
}

Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  int64_t rank = self.dim() + 1, a = maybe_wrap_dim(dim1, rank, "diag_embed"),
          b = maybe_wrap_dim(dim2, rank, "diag_embed");
  TORCH_CHECK(self.dim() > 0, "diag_embed: Expected at least a 1-dimensional tensor");
  TORCH_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  int64_t side;
  TORCH_CHECK(!__builtin_add_overflow(self.sizes().back(), offset < 0 ? -offset : offset, &side) &&
                  offset != INT64_MIN,
              "diag_embed: offset ", offset, " is too large");
  DimVector sizes(self.sizes());
  sizes.pop_back();
  sizes.insert(sizes.begin() + std::min(a, b), side);
  sizes.insert(sizes.begin() + std::max(a, b), side);
  Tensor result = at::zeros(sizes, self.options());
  Tensor line = at::diagonal(result, offset, a, b);
  at::_ops::copy_::call(line, self, false);
  return result;
}

Tensor diagflat(const Tensor& self, int64_t offset) {
  return at::diag_embed(at::reshape(self, {-1}), offset);
}

Tensor trace(const Tensor& self) {
  TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  ScalarType dtype = isIntegralType(self.scalar_type(), true) ? kLong : self.scalar_type();
  if (self.is_meta()) return at::empty({}, self.options().dtype(dtype));
  Tensor result = empty_tensor({}, dtype);
  int64_t n = std::min(self.sizes()[0], self.sizes()[1]),
          step = self.strides()[0] + self.strides()[1];
  dispatch_types<NumberTypes>(self.scalar_type(), "trace", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(self.data_ptr());
    if constexpr (std::is_integral<T>::value) {
      int64_t sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += static_cast<int64_t>(from[k * step]);
      *static_cast<int64_t*>(result.data_ptr()) = sum;
    } else if constexpr (std::is_same<T, c10::complex<float>>::value ||
                         std::is_same<T, c10::complex<double>>::value) {
      T sum(0, 0);
      for (int64_t k = 0; k < n; ++k) sum += from[k * step];
      *static_cast<T*>(result.data_ptr()) = sum;
    } else {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(from[k * step]);
      *static_cast<T*>(result.data_ptr()) = static_cast<T>(sum);
    }
  });
  return result;
}

// --- a view replaced -----------------------------------------------------------------------------

static Tensor with_piece(const Tensor& result, Tensor piece, const Tensor& src, const char* op) {
  TORCH_CHECK(piece.sizes() == src.sizes(), op,
              ": expected src to have a size equal to the slice of self. src size = ", src.sizes(),
              ", slice size = ", piece.sizes());
  at::_ops::copy_::call(piece, src, false);
  return result;
}

Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  Tensor result = at::clone(self);
  return with_piece(result, at::select(result, dim, index), src, "select_scatter");
}
Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  Tensor result = at::clone(self);
  return with_piece(result, at::slice(result, dim, start, end, step), src, "slice_scatter");
}
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  Tensor result = at::clone(self);
  return with_piece(result, at::diagonal(result, offset, dim1, dim2), src, "diagonal_scatter");
}

}  // namespace at::native
