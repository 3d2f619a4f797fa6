// Operators over images: batch and images are folded into one dimension.

#include <ATen/core/ivalue.h>
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

void add_fold_rules(RuleTable& table) {
  table.add(&fold<3>,
            {"upsample_nearest1d", "upsample_nearest1d_backward", "_upsample_nearest_exact1d",
             "_upsample_nearest_exact1d_backward", "upsample_linear1d",
             "upsample_linear1d_backward", "reflection_pad1d", "reflection_pad1d_backward",
             "replication_pad1d", "replication_pad1d_backward", "col2im"});
  table.add(&fold<4>, {"max_pool2d_with_indices",
                       "max_pool2d_with_indices_backward",
                       "avg_pool2d",
                       "avg_pool2d_backward",
                       "_adaptive_avg_pool2d",
                       "_adaptive_avg_pool2d_backward",
                       "adaptive_max_pool2d",
                       "adaptive_max_pool2d_backward",
                       "max_unpool2d",
                       "upsample_nearest2d",
                       "upsample_nearest2d_backward",
                       "_upsample_nearest_exact2d",
                       "_upsample_nearest_exact2d_backward",
                       "upsample_bilinear2d",
                       "upsample_bilinear2d_backward",
                       "upsample_bicubic2d",
                       "upsample_bicubic2d_backward",
                       "_upsample_bilinear2d_aa",
                       "_upsample_bilinear2d_aa_backward",
                       "_upsample_bicubic2d_aa",
                       "_upsample_bicubic2d_aa_backward",
                       "reflection_pad2d",
                       "reflection_pad2d_backward",
                       "replication_pad2d",
                       "replication_pad2d_backward",
                       "im2col",
                       "grid_sampler_2d"});
  table.add(&fold<kAnyRank>, {"channel_shuffle"});
  table.add(&fold<5>, {"max_pool3d_with_indices",
                       "max_pool3d_with_indices_backward",
                       "avg_pool3d",
                       "avg_pool3d_backward",
                       "_adaptive_avg_pool3d",
                       "_adaptive_avg_pool3d_backward",
                       "adaptive_max_pool3d",
                       "adaptive_max_pool3d_backward",
                       "max_unpool3d",
                       "upsample_nearest3d",
                       "upsample_nearest3d_backward",
                       "_upsample_nearest_exact3d",
                       "_upsample_nearest_exact3d_backward",
                       "upsample_trilinear3d",
                       "upsample_trilinear3d_backward",
                       "reflection_pad3d",
                       "reflection_pad3d_backward",
                       "replication_pad3d",
                       "replication_pad3d_backward",
                       "grid_sampler_3d"});
  table.add(&attention, {"_scaled_dot_product_flash_attention_for_cpu"});
}

}  // namespace at::functorch
