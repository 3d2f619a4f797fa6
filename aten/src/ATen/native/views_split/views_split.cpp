// Views of a tensor's pieces along one dimension.

#include <ATen/Parallel.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/chunk_native.h>
#include <ATen/ops/dsplit_native.h>
#include <ATen/ops/hsplit_native.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/split.h>
#include <ATen/ops/split_native.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/split_with_sizes_native.h>
#include <ATen/ops/tensor_split.h>
#include <ATen/ops/tensor_split_native.h>
#include <ATen/ops/unbind_native.h>
#include <ATen/ops/unsafe_chunk_native.h>
#include <ATen/ops/unsafe_split.h>
#include <ATen/ops/unsafe_split_native.h>
#include <ATen/ops/unsafe_split_with_sizes.h>
#include <ATen/ops/unsafe_split_with_sizes_native.h>
#include <ATen/ops/vsplit_native.h>

namespace at::native {

// Autograd has no history for one of several views: it records that they are multiple outputs.
static std::vector<Tensor> several(std::vector<Tensor> views) {
  for (const Tensor& t : views) {
    TensorImpl* impl = t.unsafeGetTensorImpl();
    if (impl->view_base() && impl->creation_meta() == CreationMeta::Default)
      impl->set_creation_meta(CreationMeta::MultiOutputNode);
  }
  return views;
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
  TORCH_CHECK_INDEX(self.dim() > 0, "unbind(): Dimension specified as ", dim,
                    " but tensor has no dimensions");
  dim = maybe_wrap_dim(dim, self.dim(), "unbind");
  DimVector sizes(self.sizes()), strides(self.strides());
  int64_t n = sizes[dim], step = strides[dim], first = self.storage_offset();
  sizes.erase(sizes.begin() + dim);
  strides.erase(strides.begin() + dim);
  std::vector<Tensor> result;
  result.reserve(n);
  for (int64_t k = 0; k < n; ++k)
    result.push_back(alias_with_sizes_and_strides(self, sizes, strides, first + k * step));
  return several(std::move(result));
}

static Tensor piece(const Tensor& self, int64_t dim, int64_t begin, int64_t length) {
  DimVector sizes(self.sizes());
  sizes[dim] = length;
  return alias_with_sizes_and_strides(self, sizes, self.strides(),
                                      self.storage_offset() + begin * self.strides()[dim]);
}

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "split expects at least a 1-dimensional tensor");
  TORCH_CHECK(split_size >= 0,
              "split expects split_size be non-negative, but got split_size=", split_size);
  dim = maybe_wrap_dim(dim, self.dim(), "split");
  int64_t size = self.sizes()[dim];
  TORCH_CHECK(split_size > 0 || size == 0,
              "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  int64_t n = split_size == 0 || size == 0 ? 1 : (size - 1) / split_size + 1;
  std::vector<Tensor> result;
  result.reserve(n);
  for (int64_t k = 0; k < n; ++k)
    result.push_back(piece(self, dim, k * split_size, std::min(split_size, size - k * split_size)));
  return several(std::move(result));
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "split_with_sizes expects at least a 1-dimensional tensor");
  dim = maybe_wrap_dim(dim, self.dim(), "split_with_sizes");
  int64_t size = self.sizes()[dim], begin = 0;
  std::vector<Tensor> result;
  result.reserve(split_sizes.size());
  for (int64_t n : split_sizes) {
    TORCH_CHECK(
        n >= 0,
        "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=",
        split_sizes);
    TORCH_CHECK(n <= size - begin, "split_with_sizes expects split_sizes to sum exactly to ", size,
                " (input tensor's size at dimension ", dim, "), but got split_sizes=", split_sizes);
    result.push_back(piece(self, dim, begin, n));
    begin += n;
  }
  TORCH_CHECK(begin == size, "split_with_sizes expects split_sizes to sum exactly to ", size,
              " (input tensor's size at dimension ", dim, "), but got split_sizes=", split_sizes);
  return several(std::move(result));
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef split_size, int64_t dim) {
  return at::split_with_sizes(self, split_size, dim);
}

// The unsafe_ forms promise that self is not used afterwards: the results may be changed in place
// freely.
static std::vector<Tensor> without_base(std::vector<Tensor> pieces) {
  for (Tensor& t : pieces) {
    t.unsafeGetTensorImpl()->drop_view_base();
    t.unsafeGetTensorImpl()->set_autograd_key(false);
  }
  return pieces;
}
std::vector<Tensor> unsafe_split(const Tensor& self, int64_t split_size, int64_t dim) {
  return without_base(native::split(self, split_size, dim));
}
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                            int64_t dim) {
  return without_base(native::split_with_sizes(self, split_sizes, dim));
}

// chunk of an empty dimension still returns as many pieces as requested.
template <typename Split, typename SplitWithSizes>
static std::vector<Tensor> in_chunks(const Tensor& self, int64_t chunks, int64_t dim, Split by_size,
                                     SplitWithSizes by_sizes) {
  TORCH_CHECK(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TORCH_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  int64_t size = self.size(dim), each = divup(size, chunks);
  if (each == 0) {
    std::vector<int64_t> zeros(chunks, 0);
    return by_sizes(self, zeros, dim);
  }
  return by_size(self, each, dim);
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  return in_chunks(self, chunks, dim, [](const Tensor& x, int64_t n, int64_t d) {
    return at::split(x, n, d);
  }, [](const Tensor& x, IntArrayRef n, int64_t d) { return at::split_with_sizes(x, n, d); });
}
std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  return in_chunks(self, chunks, dim, [](const Tensor& x, int64_t n, int64_t d) {
    return at::unsafe_split(x, n, d);
  }, [](const Tensor& x, IntArrayRef n, int64_t d) {
    return at::unsafe_split_with_sizes(x, n, d);
  });
}

std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  TORCH_CHECK(
      self.dim() > 0,
      "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  TORCH_CHECK(sections > 0, "number of sections must be larger than 0, got ", sections);
  dim = maybe_wrap_dim(dim, self.dim(), "tensor_split");
  int64_t size = self.sizes()[dim], min = size / sections, longer = size % sections, begin = 0;
  // Sections beyond the number of elements are empty; an amount that exhausts memory is an error.
  constexpr int64_t kMaxEmpty = int64_t(1) << 24;
  TORCH_CHECK(sections <= std::max(size, kMaxEmpty), "tensor_split: ", sections,
              " sections of a dimension of size ", size, " are too many");
  std::vector<Tensor> result;
  for (int64_t k = 0; k < sections; ++k) {
    int64_t n = min + (k < longer);
    result.push_back(at::slice(self, dim, begin, begin + n));
    begin += n;
  }
  return result;
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim) {
  TORCH_CHECK(
      self.dim() > 0,
      "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  dim = maybe_wrap_dim(dim, self.dim(), "tensor_split");
  std::vector<Tensor> result;
  int64_t begin = 0;
  for (int64_t end : indices) {
    result.push_back(at::slice(self, dim, begin, end));
    begin = end;
  }
  result.push_back(at::slice(self, dim, begin, self.sizes()[dim]));
  return result;
}

std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& at, int64_t dim) {
  TORCH_CHECK(at.is_cpu(),
              "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on ",
              at.device());
  TORCH_CHECK(at.scalar_type() == kLong,
              "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
              toString(at.scalar_type()));
  TORCH_CHECK(at.dim() <= 1,
              "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
              "one-dimensional tensor, but got a tensor with ",
              at.dim(), " dims");
  const std::vector<int64_t> indices = int64_values(at);
  if (at.dim() == 0) return at::tensor_split(self, indices[0], dim);
  return at::tensor_split(self, IntArrayRef(indices), dim);
}

// --- hsplit, vsplit, dsplit ----------------------------------------------------------------------

static int64_t split_dim(const Tensor& self, const char* name, int64_t min) {
  TORCH_CHECK(self.dim() >= min, "torch.", name, " requires a tensor with at least ", min,
              " dimension, but got a tensor with ", self.dim(), " dimensions!");
  return min == 1 ? (self.dim() == 1 ? 0 : 1) : min == 2 ? 0 : 2;
}

static std::vector<Tensor> split_evenly(const Tensor& self, const char* name, int64_t min,
                                        int64_t sections) {
  int64_t dim = split_dim(self, name, min);
  TORCH_CHECK(sections != 0 && self.sizes()[dim] % sections == 0, "torch.", name,
              " attempted to split along dimension ", dim, ", but the size of the dimension ",
              self.sizes()[dim], " is not divisible by the split_size ", sections, "!");
  return at::tensor_split(self, sections, dim);
}

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  return split_evenly(self, "hsplit", 1, sections);
}
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  return split_evenly(self, "vsplit", 2, sections);
}
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  return split_evenly(self, "dsplit", 3, sections);
}
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, split_dim(self, "hsplit", 1));
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, split_dim(self, "vsplit", 2));
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  return at::tensor_split(self, indices, split_dim(self, "dsplit", 3));
}

}  // namespace at::native
