#pragma once
// The scalar function of the few lanes of a vector that a vector's formula does not cover.

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// `value`, but f(i) in the lanes i that are rare.
template <typename T, typename F>
C10_ALWAYS_INLINE Vec<T> with_rare_lanes(typename Vec<T>::Mask rare, Vec<T> value, const F& f) {
  if (C10_UNLIKELY(any(rare))) {
    for (int64_t i = 0; i < Vec<T>::size; ++i)
      if (rare[i]) value.v[i] = f(i);
  }
  return value;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
