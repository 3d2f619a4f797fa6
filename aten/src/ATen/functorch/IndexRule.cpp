// Indexing by tensors. The indexed dimensions are moved behind the batch; if the indices differ
// between examples, a range over the batch is one more index.

#include <ATen/functorch/IndexRule.h>

#include <algorithm>

#include <ATen/core/ivalue.h>
#include <ATen/native/common/ExpandUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/movedim.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/unbind.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

namespace at::functorch {
namespace {

struct Indices {
  Indices(const BatchCall& call, const Tensor& self,
          const std::vector<std::optional<Tensor>>& given) {
    int64_t dim = 0;
    for (const auto& index : given) {
      if (!index || !index->defined()) {
        ++dim;
        continue;
      }
      const bool mask = index->scalar_type() == kBool || index->scalar_type() == kByte;
      TORCH_CHECK(!mask || !call.is_batched(*index), "vmap: ", call.op.name,
                  " with a mask that differs between examples gives results of different shapes; "
                  "use torch.where instead");
      const std::vector<Tensor> columns =
          mask ? at::unbind(at::nonzero(*index), 1) : std::vector<Tensor>{*index};
      for (const Tensor& column : columns) {
        places.push_back(dim++);
        tensors.push_back(column);
        const bool is_batched = call.is_batched(column);
        batched |= is_batched;
        shape = at::infer_size(shape, column.sizes());
      }
    }
    TORCH_CHECK_INDEX(dim <= self.dim(), "too many indices for tensor of dimension ", self.dim());
    bool adjacent = true;
    for (size_t i = 1; i < places.size(); ++i) adjacent &= places[i] == places[i - 1] + 1;
    first = adjacent && !places.empty() ? places[0] : 0;
    for (int64_t d = 0; d < self.dim(); ++d) {
      if (std::find(places.begin(), places.end(), d) == places.end()) rest.push_back(d);
    }
  }

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  // The arguments of at::index for values whose first dimension is the batch.
  std::vector<std::optional<Tensor>> over_batch(const BatchCall& call, bool range) const {
    std::vector<std::optional<Tensor>> all;
    if (range) {
      DimVector sizes(shape.size() + 1, 1);
      sizes[0] = call.batch_size;
      all.emplace_back(
          at::reshape(at::arange(Scalar(call.batch_size), TensorOptions(kLong)), sizes));
    }
    for (const Tensor& t : tensors) all.emplace_back(call.aligned(t, rank()));
    return all;
  }
  // Indexed dimensions first, after `shift` leading ones.
  std::vector<int64_t> order(int64_t shift) const {
    std::vector<int64_t> dims;
    for (int64_t d : places) dims.push_back(d + shift);
    for (int64_t d : rest) dims.push_back(d + shift);
    return dims;
  }
  // (B, indices, rest) with the indices' dimensions where they belong, or back.
  Tensor move(const Tensor& t, bool back) const {
    std::vector<int64_t> front, home;
    for (int64_t d = 0; d < rank(); ++d) {
      front.push_back(1 + d);
      home.push_back(1 + first + d);
    }
    return back ? at::movedim(t, home, front) : at::movedim(t, front, home);
  }

  std::vector<int64_t> places, rest, shape;
  std::vector<Tensor> tensors;
  bool batched = false;
  int64_t first = 0;  // where the indices' dimensions are in a result
};

}  // namespace

void index_rule(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  const Indices indices(call, self, stack[1].toOptionalTensorVector());
  Tensor result;
  if (!indices.batched) {
    std::vector<int64_t> order = indices.order(1);
    order.insert(order.begin() + static_cast<int64_t>(indices.places.size()), 0);
    Tensor y = at::index(at::permute(call.value(self), order), indices.over_batch(call, false));
    result = at::movedim(y, indices.rank(), 0);
  } else if (call.is_batched(self)) {
    std::vector<int64_t> order = indices.order(1);
    order.insert(order.begin(), 0);
    result = at::index(at::permute(call.value(self), order), indices.over_batch(call, true));
  } else {
    result = at::index(at::permute(self, indices.order(0)), indices.over_batch(call, false));
  }
  stack = IValueStack{call.wrap(indices.move(result, false))};
}

namespace {

// x[mask] = number, where the masks differ between examples.
bool is_mask_of_number(const BatchCall& call, const IValueStack& stack) {
  const auto& indices = stack[1].toOptionalTensorVector();
  return indices.size() == 1 && indices[0] && indices[0]->scalar_type() == kBool &&
         call.is_batched(*indices[0]) && stack[2].toTensor().dim() == 0 && !stack[3].toBool();
}

Tensor where_mask(const IValueStack& stack) {
  const Tensor &self = stack[0].toTensor(), &values = stack[2].toTensor();
  Tensor mask = *stack[1].toOptionalTensorVector()[0];
  TORCH_CHECK_INDEX(mask.dim() <= self.dim(), "too many indices for tensor of dimension ",
                    self.dim());
  for (int64_t d = mask.dim(); d < self.dim(); ++d) mask = at::unsqueeze(mask, -1);
  return at::where(mask, at::_to_copy(values, TensorOptions(self.scalar_type())), self);
}

}  // namespace

void index_put_rule(const BatchCall& call, IValueStack& stack) {
  const Tensor self = stack[0].toTensor(), values = stack[2].toTensor();
  if (is_mask_of_number(call, stack)) {
    Tensor result = where_mask(stack);
    if (call.schema.name.back() == '_')
      at::_ops::copy_::call(const_cast<Tensor&>(self), result, false);
    stack = IValueStack{result};
    return;
  }
  const Indices indices(call, self, stack[1].toOptionalTensorVector());
  const bool accumulate = stack[3].toBool();
  std::vector<int64_t> order = indices.order(1);
  order.insert(order.begin(), 0);
  std::vector<int64_t> shape;  // of what one example's values are broadcast to
  for (int64_t d : indices.rest) shape.push_back(self.sizes()[d]);
  shape.insert(shape.begin() + indices.first, indices.shape.begin(), indices.shape.end());
  Tensor all = at::expand(call.aligned(values, static_cast<int64_t>(shape.size())), [&] {
    std::vector<int64_t> sizes{call.batch_size};
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    return sizes;
  }());
  all = indices.move(all, true);
  Tensor view = at::permute(call.expanded(self), order);
  const auto places = indices.over_batch(call, true);
  if (call.schema.name.back() == '_') {
    at::_ops::index_put_::call(view, places, all, accumulate);
    return;
  }
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d) back[order[d]] = static_cast<int64_t>(d);
  stack = IValueStack{call.wrap(at::permute(at::index_put(view, places, all, accumulate), back))};
}

}  // namespace at::functorch
