// x.index({...}) and x.index_put_({...}) with slices, integers, tensors and ellipses.

#include <ATen/TensorIndexing.h>

#include <string_view>
#include <vector>

#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/add.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put_.h>
#include <ATen/ops/select.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/unsqueeze.h>

namespace at::indexing {

Slice::Slice(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t> step)
    : start_(start.value_or(0)), stop_(stop.value_or(INT64_MAX)), step_(step.value_or(1)) {
  TORCH_CHECK_VALUE(step_ != 0, "slice step cannot be zero");
  TORCH_CHECK_VALUE(step_ > 0, "step must be greater than zero, got ", step_);
}

TensorIndex::TensorIndex(const char* text) : kind_(Kind::Ellipsis) {
  TORCH_CHECK_VALUE(std::string_view(text) == "...",
                    "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
}

namespace {

bool is_mask(const Tensor& t) { return t.scalar_type() == kBool || t.scalar_type() == kByte; }

// A tensor that represents one integer.
bool is_number(const TensorIndex& item) {
  return item.is_tensor() && item.tensor().dim() == 0 && !is_mask(item.tensor()) &&
         isIntegralType(item.tensor().scalar_type());
}

// The number of dimensions of the tensor that an item indexes.
int64_t dims_used(const TensorIndex& item) {
  if (item.is_tensor()) return is_mask(item.tensor()) ? item.tensor().dim() : 1;
  return item.is_integer() || item.is_slice() ? 1 : 0;
}

// Applies the views; the remaining items are tensors, each listed under the dimension it indexes.
struct Parsed {
  Tensor view;
  std::vector<std::optional<Tensor>> indices;
};

Tensor boolean(bool on, const Tensor& self) {
  return at::full({}, on, TensorOptions(kBool).device(self.device()));
}

Parsed parse(const Tensor& self, ArrayRef<TensorIndex> items) {
  TORCH_CHECK_INDEX(!items.empty(), "index: there is no index");
  int64_t used = 0;
  for (const TensorIndex& item : items) {
    TORCH_CHECK_TYPE(!item.is_tensor() || item.tensor().defined(),
                     "index: an undefined tensor is not an index");
    used += dims_used(item);
  }
  TORCH_CHECK_INDEX(self.dim() > 0 || used == 0,
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  TORCH_CHECK_INDEX(used <= self.dim(), "too many indices for tensor of dimension ", self.dim());
  Parsed p{self, {}};
  int64_t dim = 0;   // of the view
  int64_t real = 0;  // of self
  size_t entry = 0;  // a mask of several dimensions takes one entry among the indices
  auto note = [&](Tensor index) {
    p.indices.resize(entry);
    p.indices.emplace_back(std::move(index));
    ++entry;
  };
  for (const TensorIndex& item : items) {
    if (item.is_integer() || is_number(item)) {
      int64_t i =
          item.is_integer() ? item.integer() : at::_local_scalar_dense(item.tensor()).toLong();
      int64_t size = p.view.sizes()[static_cast<size_t>(dim)];
      TORCH_CHECK_INDEX(i >= -size && i < size, "index ", i, " is out of bounds for dimension ",
                        real, " with size ", size);
      p.view = at::select(p.view, dim, i);
      ++real;
    } else if (item.is_slice()) {
      const Slice& s = item.slice();
      p.view = at::slice(p.view, dim, s.start(), s.stop(), s.step());
      ++dim, ++real, ++entry;
    } else if (item.is_none()) {
      p.view = at::unsqueeze(p.view, dim);
      ++dim, ++entry;
    } else if (item.is_ellipsis()) {
      int64_t rest = self.dim() - used;
      dim += rest, real += rest, entry += static_cast<size_t>(rest);
      used = self.dim();  // a second ellipsis selects nothing
    } else if (item.is_boolean() || (item.tensor().dim() == 0 && is_mask(item.tensor()))) {
      p.view = at::unsqueeze(p.view, dim);
      note(item.is_boolean() ? boolean(item.boolean(), self)
                             : at::_to_copy(item.tensor(), TensorOptions(kBool)));
      ++dim;
    } else {
      int64_t n = is_mask(item.tensor()) ? item.tensor().dim() : 1;
      note(item.tensor());
      dim += n, real += n;
    }
  }
  return p;
}

// A value may have leading dimensions of size 1 that the destination lacks.
Tensor drop_leading_ones(Tensor value, int64_t dim) {
  while (value.dim() > dim && value.sizes()[0] == 1) value = at::select(value, 0, 0);
  return value;
}

}  // namespace

Tensor get_item(const Tensor& self, ArrayRef<TensorIndex> indices) {
  Parsed p = parse(self, indices);
  if (!p.indices.empty()) return at::index(p.view, p.indices);
  return p.view.is_same(self) ? at::alias(self) : p.view;
}

void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Tensor& value,
              bool accumulate) {
  Parsed p = parse(self, indices);
  if (p.indices.empty()) {
    Tensor v = drop_leading_ones(value, p.view.dim());
    at::copy_(p.view, accumulate ? at::add(p.view, v) : v);
    return;
  }
  bool convert = value.scalar_type() != self.scalar_type() && value.dim() == 0;
  at::index_put_(p.view, p.indices,
                 convert ? at::_to_copy(value, TensorOptions(self.scalar_type())) : value,
                 accumulate);
}

void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Scalar& value) {
  Parsed p = parse(self, indices);
  if (p.indices.empty()) {
    at::fill_(p.view, value);
  } else {
    at::index_put_(p.view, p.indices, at::full({}, value, self.options()));
  }
}

}  // namespace at::indexing
