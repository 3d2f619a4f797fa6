// Operators over images: batch and images are folded into one dimension.

#include <ATen/core/ivalue.h>
#include <ATen/functorch/BatchRuleNames.h>
#include <ATen/functorch/BatchRules.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/reshape.h>
#include <c10/util/SmallVector.h>

namespace at::functorch {
namespace {

Tensor unfolded(const BatchCall& call, const Tensor& t) {
  if (!t.defined()) return t;
  DimVector sizes(t.sizes());
  sizes[0] = call.batch_size > 0 ? sizes[0] / call.batch_size : 0;
  sizes.insert(sizes.begin(), call.batch_size);
  return at::reshape(t, sizes);
}

constexpr int kAnyRank = -1;

// kRank: of the tensors with a dimension of images. Examples without it have the batch as theirs.
template <int kRank>
void fold(const BatchCall& call, IValueStack& stack) {
  bool folds = false;
  for (size_t i = 0; i < stack.size(); ++i) {
    stack[i] = with_tensors(stack[i], [&](const Tensor& t) {
      if (!t.defined()) return t;
      Tensor x = call.expanded(t);
      if (kRank != kAnyRank && t.dim() != kRank) return x;
      folds = true;
      return at::flatten(x, 0, 1);
    });
    if (call.schema.arguments[i].name == "input_size" && stack[i].tag() == IValue::Tag::IntList) {
      std::vector<int64_t> sizes = stack[i].toIntVector();
      sizes[0] *= call.batch_size;
      stack[i] = sizes;
    }
  }
  call_boxed(call.op, stack);
  for (IValue& value : stack)
    value = with_tensors(value,
                         [&](const Tensor& t) { return call.wrap(folds ? unfolded(call, t) : t); });
}

// Queries, keys and values fold; a mask is the same for all images unless it has their dimension.
void attention(const BatchCall& call, IValueStack& stack) {
  const int mask = call.index_of("attn_mask");
  if (!stack[mask].isNone() && stack[mask].toTensor().defined()) {
    const Tensor& query = stack[0].toTensor();
    Tensor m = call.expanded(stack[mask].toTensor());
    DimVector sizes{call.batch_size};
    const int64_t missing = 5 - m.dim();
    DimVector shape{call.batch_size};
    for (int64_t d = 0; d < missing; ++d) shape.push_back(1);
    shape.append(m.sizes().begin() + 1, m.sizes().end());
    sizes.push_back(query.sizes()[0]);
    sizes.append(shape.begin() + 2, shape.end());
    stack[mask] = call.wrap(at::expand(at::reshape(m, shape), sizes));
  }
  fold<4>(call, stack);
}

}  // namespace

namespace batch_rules {
const RuleEntry images_1d{&functorch::fold<3>};
const RuleEntry images_2d{&functorch::fold<4>};
const RuleEntry images{&functorch::fold<kAnyRank>};
const RuleEntry images_3d{&functorch::fold<5>};
const RuleEntry attention{&functorch::attention};
}  // namespace batch_rules

}  // namespace at::functorch
