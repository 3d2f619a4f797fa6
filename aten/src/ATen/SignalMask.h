#pragma once
// Blocks signals in a thread while it runs code that oneDNN generated.
//
// Note [oneDNN and signals]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// oneDNN 3.2's float32 GEMM for AVX-512 (jit_avx512_common_gemm_f32) loads the stack pointer with
// the address of a buffer on the heap: the generated code begins with `mov 0x68(%rsp),%rsp`, as
// ONEDNN_JIT_DUMP=1 and objdump show. The kernel writes the frame of a signal handler below the
// stack pointer, and so overwrites what lies before that buffer. Convolutions and other primitives
// call the same GEMM. No signal is delivered while all are blocked.

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace at::internal {

class SignalMask {
 public:
  // The C library's sigprocmask leaves out the two signals that it uses itself.
  SignalMask() { syscall(SYS_rt_sigprocmask, kSetMask, &kAll, &before_, sizeof(kAll)); }
  ~SignalMask() { syscall(SYS_rt_sigprocmask, kSetMask, &before_, nullptr, sizeof(kAll)); }
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

 private:
  static constexpr int kSetMask = 2;  // SIG_SETMASK
  static constexpr uint64_t kAll = ~uint64_t{0};
  uint64_t before_ = 0;
};

// Runs `f` with signals blocked: masked<&sgemm> has the signature of sgemm.
template <auto f, typename = decltype(f)>
struct Masked;
template <auto f, typename R, typename... Args>
struct Masked<f, R (*)(Args...)> {
  static R call(Args... args) {
    SignalMask mask;
    return f(static_cast<Args>(args)...);
  }
};
template <auto f>
inline constexpr auto masked = &Masked<f>::call;

}  // namespace at::internal
