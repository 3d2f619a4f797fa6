// Turns masks and index tensors into byte offsets.

#include <ATen/native/indexing/index_plan.h>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MemoryOrder.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/fill/fill.h>
#include <ATen/native/indexing/indexing.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/select.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

void fail_index(int64_t index, int64_t dim, int64_t size) {
  TORCH_CHECK(false, "index ", index, " is out of bounds for dimension ", dim, " with size ", size);
  __builtin_unreachable();
}

void fail_index_in_self(const char* op) {
  TORCH_CHECK_INDEX(false, op, ": index out of range in self");
  __builtin_unreachable();
}

namespace {

// One index tensor per indexed dimension of self; undefined for the others.
std::vector<Tensor> expand_masks(const Tensor& self, OptionalTensorList indices, const char* op) {
  std::vector<Tensor> result;
  for (const auto& optional : indices) {
    if (!optional || !optional->defined()) {
      result.emplace_back();
      continue;
    }
    // A mask without dimensions counts as one of size 1.
    Tensor index = *optional;
    bool scalar_mask =
        index.dim() == 0 && (index.scalar_type() == kBool || index.scalar_type() == kByte);
    if (scalar_mask) index = at::unsqueeze(index, 0);
    if (index.scalar_type() == kBool || index.scalar_type() == kByte) {
      if (index.scalar_type() == kByte) {
        TORCH_WARN(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
            "instead.");
      }
      for (int64_t d = 0; d < index.dim(); ++d) {
        int64_t at = static_cast<int64_t>(result.size()) + d;
        TORCH_CHECK_INDEX(at < self.dim(), "too many indices for tensor of dimension ", self.dim());
        TORCH_CHECK_INDEX(index.sizes()[d] == self.sizes()[at], op, ": The shape of the mask ",
                          index.sizes(), " at index ", d,
                          " does not match the shape of the indexed tensor ", self.sizes(),
                          " at index ", at);
      }
      Tensor positions = at::nonzero(index);
      for (int64_t d = 0; d < index.dim(); ++d) result.push_back(at::select(positions, 1, d));
    } else {
      TORCH_CHECK_INDEX(index.scalar_type() == kLong || index.scalar_type() == kInt, op,
                        ": tensors used as indices must be long, int, byte or bool tensors, got ",
                        dtypeName(index.scalar_type()));
      result.push_back(index.scalar_type() == kInt ? at::_to_copy(index, TensorOptions(kLong))
                                                   : index);
    }
  }
  TORCH_CHECK_INDEX(static_cast<int64_t>(result.size()) <= self.dim(),
                    "too many indices for tensor of dimension ", self.dim(), " (got ",
                    result.size(), ")");
  result.resize(self.dim());
  return result;
}

std::string shapes_of(const std::vector<Tensor>& indices) {
  std::string text;
  for (const Tensor& t : indices) {
    if (t.defined()) text += (text.empty() ? "" : ", ") + to_string(t.sizes());
  }
  return text;
}

DimVector common_shape(const std::vector<Tensor>& indices, const char* op) {
  DimVector shape;
  bool first = true;
  for (const Tensor& t : indices) {
    if (!t.defined()) continue;
    if (first) {
      shape = DimVector(t.sizes());
      first = false;
      continue;
    }
    IntArrayRef a = shape, b = t.sizes();
    DimVector both(std::max(a.size(), b.size()), 1);
    for (size_t k = 0; k < both.size(); ++k) {
      int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1,
              y = k < b.size() ? b[b.size() - 1 - k] : 1;
      TORCH_CHECK_INDEX(
          x == y || x == 1 || y == 1, op,
          ": shape mismatch: indexing tensors could not be broadcast together with shapes ",
          shapes_of(indices));
      both[both.size() - 1 - k] = x == 1 ? y : x;
    }
    shape = both;
  }
  return shape;
}

}  // namespace

IndexPlan::IndexPlan(const Tensor& self, OptionalTensorList list, const char* op) {
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  std::vector<Tensor> indices = expand_masks(self, list, op);
  DimVector shape = common_shape(indices, op);
  // Index dimensions go where the first of them was if they are adjacent, else to the front.
  int64_t rank = self.dim(), first = -1, last = -1, count = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (!indices[d].defined()) continue;
    if (first < 0) first = d;
    last = d;
    ++count;
  }
  int64_t insert_at = first < 0 ? 0 : last - first + 1 == count ? first : 0;
  int64_t padding_after = 0;
  auto insert = [&] {
    for (int64_t s : shape) {
      result_sizes.push_back(s);
      strides.push_back(0);
    }
  };
  int64_t kept = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (indices[d].defined()) continue;
    if (kept == insert_at) insert();
    if (kept >= insert_at) ++padding_after;
    result_sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
    ++kept;
  }
  if (kept <= insert_at && padding_after == 0) insert();
  checked_numel(result_sizes, op);
  for (int64_t d = 0; d < rank; ++d) {
    if (indices[d].defined() && self.sizes()[d] == 0) {
      TORCH_CHECK_INDEX(product(shape) == 0, "index is out of bounds for dimension ", d,
                        " with size 0");
    }
  }
  // In memory, offsets have the order of the index tensors.
  DimVector order;
  for (const Tensor& index : indices) {
    if (!index.defined() || index.sizes() != IntArrayRef(shape)) continue;
    if (!index.is_contiguous()) order = memory_order(index);
    break;
  }
  DimVector in_memory(shape);
  for (size_t k = 0; k < order.size(); ++k) in_memory[k] = shape[order[k]];
  offsets = empty_tensor(in_memory, kLong, self.device());
  bool first_index = true;
  for (int64_t d = 0; d < rank; ++d) {
    if (!indices[d].defined()) continue;
    Tensor index =
        indices[d].sizes() == IntArrayRef(shape) ? indices[d] : at::expand(indices[d], shape);
    TORCH_CHECK(index.device() == self.device() || index.is_cpu(), op,
                ": indices should be either on the CPU or on the device of the indexed tensor (",
                self.device(), "), got ", index.device());
    index = on_device(index, self.device());
    if (!order.empty()) index = at::permute(index, order);
    const IndexedDim dim{d, self.sizes()[d],
                         self.strides()[d] * static_cast<int64_t>(self.itemsize())};
    add_index_offsets_stub(self.device().type(), offsets, at::contiguous(index), dim, first_index);
    first_index = false;
  }
  if (first_index) fill_elements(offsets, 0);
  if (!order.empty()) offsets = at::permute(offsets, positions(order));
  if (padding_after > 0) {
    DimVector padded(shape);
    for (int64_t k = 0; k < padding_after; ++k) padded.push_back(1);
    DimVector padded_strides(offsets.strides());
    padded_strides.resize(padded.size(), 1);
    offsets = alias_with_sizes_and_strides(offsets, padded, padded_strides, 0);
  }
}

}  // namespace at::native
