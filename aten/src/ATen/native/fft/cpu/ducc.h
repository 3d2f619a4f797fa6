// No #pragma once: each file that includes this has a copy of DUCC of its own.
//
// DUCC's one-dimensional transforms (pocketfft_c, pocketfft_r), in the namespace DUCC_NAMESPACE,
// which the including file defines. Its templates would otherwise have the same symbols in the
// files of all CPU capabilities, and the linker would keep the code of one of them. The threads are
// ours: DUCC is built without them.

#define DUCC0_NO_LOWLEVEL_THREADING
#define DUCC_JOIN_(a, b) a##_##b
#define DUCC_JOIN(a, b) DUCC_JOIN_(a, b)
#define ducc0 DUCC_JOIN(DUCC_NAMESPACE, CPU_CAPABILITY)

#include <functional>

#include <cmath>  // before DUCC, which asks whose standard library this is

#include <ATen/native/fft/cpu/ducc_vector.h>

#include <ducc0/fft/fft1d_impl.h>

namespace ducc0::detail_threading {

// All of the work in one range, on the thread that asks for it.
class OneRange final : public Scheduler {
 public:
  explicit OneRange(size_t size) : rest_(0, size) {}
  size_t num_threads() const override { return 1; }
  size_t thread_num() const override { return 0; }
  Range getNext() override { return std::exchange(rest_, Range()); }

 private:
  Range rest_;
};

inline void execStatic(size_t size, size_t /*num_threads*/, size_t /*chunk_size*/,
                       std::function<void(Scheduler&)> work) {
  OneRange range(size);
  work(range);
}

}  // namespace ducc0::detail_threading
