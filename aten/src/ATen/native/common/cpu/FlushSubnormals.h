#pragma once
// Results that would be subnormal are 0 while this lives, on this thread.
//
// Iterations that go to zero pass through subnormal numbers, with which some processors take a
// hundred times as long.

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace at::native {

class FlushSubnormals {
 public:
#if defined(__SSE__)
  explicit FlushSubnormals(bool enabled = true) : before_(_mm_getcsr()) {
    if (enabled) _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON);
  }
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  explicit FlushSubnormals(bool = true) {}
#endif

 public:
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace at::native
