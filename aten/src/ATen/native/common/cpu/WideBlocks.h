#pragma once
// Loops over runs of any floating type, of which halves are computed in float: GCC vectorizes the
// loop over floats, but not Half's conversions.
//
//   by_wide_blocks(n, [&](int64_t count, float* w, const float* g) { ... }, weights, gradients);

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int64_t kWideBlock = 128;

// A part of a run in the type that sums have: the run itself, or a copy of a half type.
template <typename P>
class WideBlock {
  using T = std::remove_const_t<P>;
  using Wide = SumType<T>;

 public:
  WideBlock() {}  // leaves the values as they are: WideBlock() would fill them with zeros otherwise
  auto open(P* run, int64_t n) {
    if constexpr (std::is_same_v<T, Wide>) {
      return run;
    } else {
      if (run) convert_run(static_cast<const T*>(run), values_, n);
      return run ? static_cast<std::conditional_t<std::is_const_v<P>, const Wide*, Wide*>>(values_)
                 : nullptr;
    }
  }
  // What was computed goes back into the run.
  void close([[maybe_unused]] P* run, [[maybe_unused]] int64_t n) {
    if constexpr (!std::is_same_v<T, Wide> && !std::is_const_v<P>) {
      if (run) convert_run(static_cast<const Wide*>(values_), run, n);
    }
  }

 private:
  alignas(64) std::conditional_t<std::is_same_v<T, Wide>, char, Wide> values_[kWideBlock];
};

// f(count, pointers) for blocks of the runs, each of n elements. Runs that are not const are
// written back. A null pointer stays one.
template <typename F, typename... P>
void by_wide_blocks(int64_t n, const F& f, P*... runs) {
  if constexpr ((std::is_same_v<std::remove_const_t<P>, SumType<std::remove_const_t<P>>> && ...)) {
    f(n, runs...);
  } else {
    for (int64_t i = 0; i < n; i += kWideBlock) {
      const int64_t count = std::min(kWideBlock, n - i);
      [&](auto&&... block) {
        f(count, block.open(runs ? runs + i : nullptr, count)...);
        (block.close(runs ? runs + i : nullptr, count), ...);
      }(WideBlock<P>()...);
    }
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
