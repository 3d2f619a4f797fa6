// The stack of running vmaps, and the move of batches between levels and ordinary dimensions.

#include <ATen/functorch/VmapLevels.h>

#include <vector>

#include <ATen/functorch/BatchRules.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/movedim.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at::functorch {
namespace {

thread_local std::vector<VmapLevel> t_levels;
thread_local int64_t t_refusals = 0;

// Random operators must see the levels even if none of their arguments is batched.
void update_keys() {
  const uint64_t mode = c10::DispatchKeySet(c10::Functionality::FuncTorchVmapMode).raw_repr();
  uint64_t& included = c10::impl::tls_local_state.included;
  included = t_levels.empty() && !t_refusals ? included & ~mode : included | mode;
}

Tensor expand_leading(const Tensor& t, IntArrayRef batch_sizes) {
  DimVector sizes(batch_sizes);
  sizes.append(t.sizes().begin(), t.sizes().end());
  return at::expand(t, sizes);
}

}  // namespace

int64_t enter_vmap(int64_t batch_size, Randomness randomness) {
  install_batched_kernels();
  t_levels.push_back({batch_size, randomness});
  update_keys();
  return current_level();
}

void exit_vmap() {
  TORCH_CHECK(!t_levels.empty(), "vmap: there is no level to leave");
  t_levels.pop_back();
  update_keys();
}

void refuse_random(bool refuses) {
  install_batched_kernels();
  TORCH_CHECK(refuses || t_refusals > 0, "vmap: random operators are not refused");
  t_refusals += refuses ? 1 : -1;
  update_keys();
}

bool is_random_refused() { return t_refusals > 0; }

int64_t current_level() { return static_cast<int64_t>(t_levels.size()); }

const VmapLevel& vmap_level(int64_t level) {
  TORCH_CHECK(level >= 1 && level <= current_level(),
              "vmap: a tensor was used after the vmap that it belongs to, at level ", level,
              "; return it from the function instead of keeping it");
  return t_levels[level - 1];
}

WithoutInnermostLevel::WithoutInnermostLevel() : level_(t_levels.back()) {
  t_levels.pop_back();
  update_keys();
}
WithoutInnermostLevel::~WithoutInnermostLevel() {
  t_levels.push_back(level_);
  update_keys();
}

Tensor levels_to_dims(const Tensor& t, int64_t levels) {
  const int64_t own = level_of(t);
  if (own > levels) {
    Tensor value = levels_to_dims(maybe_batched(t)->value(), levels);
    return make_batched(at::movedim(value, levels, 0), own);
  }
  if (levels == 0) return t;
  if (own == levels)  // the value's first dimension is that of this level
    return levels_to_dims(maybe_batched(t)->value(), levels - 1);
  Tensor value = levels_to_dims(t, levels - 1);
  DimVector sizes(value.sizes());
  sizes.insert(sizes.begin() + (levels - 1), vmap_level(levels).batch_size);
  return at::expand(insert_unit_dim(value, levels - 1), sizes);
}

Tensor dims_to_levels(const Tensor& t, int64_t levels) {
  const int64_t own = level_of(t);
  if (own > levels) {
    Tensor value = at::movedim(maybe_batched(t)->value(), 0, levels);
    return make_batched(dims_to_levels(value, levels), own);
  }
  Tensor value = t;
  for (int64_t level = 1; level <= levels; ++level) value = make_batched(value, level);
  return value;
}

Tensor batched_at_all_levels(const Tensor& t, int64_t levels) {
  bool already = true;
  Tensor value = t;
  for (int64_t level = levels; level > 0 && already; --level) {
    already = level_of(value) == level;
    if (already) value = maybe_batched(value)->value();
  }
  return already ? t : dims_to_levels(levels_to_dims(t, levels), levels);
}

Tensor remove_batch_dim(const Tensor& t, int64_t level, int64_t batch_size, int64_t dim) {
  TORCH_CHECK(level_of(t) <= level, "vmap: the result belongs to an inner vmap, of level ",
              level_of(t));
  if (level_of(t) == level) return at::movedim(maybe_batched(t)->value(), 0, dim);
  return at::movedim(expand_leading(t, batch_size), 0, dim);
}

}  // namespace at::functorch
