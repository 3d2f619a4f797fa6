#pragma once
// DispatchStub: a kernel that is compiled once for each CPU capability and selected when called.
//
//   NAME_native.h (generated)   DECLARE_DISPATCH(void (*)(TensorIteratorBase&), sin_stub)
//   unary/cpu/unary_kernel.cpp  REGISTER_DISPATCH(sin_stub, &sin_kernel)
//   anywhere                    sin_stub(iter.device_type(), iter)
//
// native/*/cpu/*_kernel.cpp is compiled with each capability's flags; REGISTER_DISPATCH there
// defines the pointer for that capability as constant data, so that loading the library runs no
// code. The other files of cpu/ need no vectors (making operands dense, a library's workspace) and
// are compiled once: they use REGISTER_ALL_CPU_DISPATCH.
//
// A stub that returns nothing does nothing on the meta device: its outputs have no elements to
// write. So code that makes the outputs and calls the stub serves that device as well.

#include <type_traits>

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

namespace at::native {

enum class CPUCapability : uint8_t { DEFAULT = 0, AVX2 = 1, AVX512 = 2 };

// The best capability that this machine has and this build contains;
// ATEN_CPU_CAPABILITY=default|avx2|avx512 lowers it.
extern const CPUCapability g_cpu_capability;
const char* cpu_capability_name(CPUCapability capability);  // "AVX512"

// Called with each stub that runs and the kernel that it leads to; null if nobody listens.
using StubObserver = void (*)(const char* stub, const void* kernel);
extern StubObserver g_stub_observer;

[[noreturn]] void fail_dispatch_stub(const char* name, c10::DeviceType device);
[[noreturn]] void fail_lazy_bits(const char* name);

// Kernels read memory, so their tensors have no lazy bits: Note [Lazy conjugates].
template <typename T>
auto has_lazy_bits(const T& tensor, int) -> decltype(tensor.is_conj()) {
  return tensor.defined() && (tensor.is_conj() || tensor.is_neg());
}
template <typename T>
bool has_lazy_bits(const T&, long) {
  return false;
}

template <typename Fn, typename Tag>
struct DispatchStub;

template <typename R, typename... A, typename Tag>
struct DispatchStub<R (*)(A...), Tag> {
  using FnPtr = R (*)(A...);

  R operator()(c10::DeviceType device, A... a) const {
    FnPtr kernel;
    if (C10_LIKELY(device == c10::DeviceType::CPU)) {
      kernel = cpu();
    } else {
      if constexpr (std::is_void_v<R>) {
        if (device == c10::DeviceType::Meta) return;
      }
      if (device != c10::DeviceType::CUDA || !CUDA) fail_dispatch_stub(Tag::name, device);
      kernel = CUDA;
    }
    if (C10_UNLIKELY((false || ... || has_lazy_bits(a, 0)))) fail_lazy_bits(Tag::name);
    if (C10_UNLIKELY(g_stub_observer != nullptr))
      g_stub_observer(Tag::name, reinterpret_cast<const void*>(kernel));
    return kernel(static_cast<A>(a)...);
  }
  // Whether a call for this device finds a kernel, or has nothing to do.
  static bool has_kernel(c10::DeviceType device) {
    return device == c10::DeviceType::CPU || (device == c10::DeviceType::CUDA && CUDA) ||
           (std::is_void_v<R> && device == c10::DeviceType::Meta);
  }
  static FnPtr cpu() {
#ifdef HAVE_AVX512_CPU_DEFINITION
    if (g_cpu_capability == CPUCapability::AVX512) return AVX512;
#endif
#ifdef HAVE_AVX2_CPU_DEFINITION
    if (g_cpu_capability == CPUCapability::AVX2) return AVX2;
#endif
#ifdef HAVE_DEFAULT_CPU_DEFINITION
    return DEFAULT;
#else
    __builtin_unreachable();
#endif
  }

  static FnPtr DEFAULT, AVX2, AVX512;
  // Set by libtorch_cuda when it is loaded.
  static inline FnPtr CUDA = nullptr;
};

}  // namespace at::native

#define DECLARE_DISPATCH(fn, stub)             \
  struct stub##_tag {                          \
    static constexpr const char* name = #stub; \
  };                                           \
  inline constexpr ::at::native::DispatchStub<fn, stub##_tag> stub {}

#define REGISTER_DISPATCH_AT(capability, stub, fn) \
  template <>                                      \
  decltype(stub)::FnPtr DispatchStub<decltype(stub)::FnPtr, stub##_tag>::capability = fn;

#ifdef CPU_CAPABILITY
#define REGISTER_DISPATCH(stub, fn) REGISTER_DISPATCH_AT(CPU_CAPABILITY, stub, fn)
#else
#ifdef HAVE_DEFAULT_CPU_DEFINITION
#define REGISTER_DISPATCH_DEFAULT(stub, fn) REGISTER_DISPATCH_AT(DEFAULT, stub, fn)
#else
#define REGISTER_DISPATCH_DEFAULT(stub, fn)
#endif
#ifdef HAVE_AVX2_CPU_DEFINITION
#define REGISTER_DISPATCH_AVX2(stub, fn) REGISTER_DISPATCH_AT(AVX2, stub, fn)
#else
#define REGISTER_DISPATCH_AVX2(stub, fn)
#endif
#ifdef HAVE_AVX512_CPU_DEFINITION
#define REGISTER_DISPATCH_AVX512(stub, fn) REGISTER_DISPATCH_AT(AVX512, stub, fn)
#else
#define REGISTER_DISPATCH_AVX512(stub, fn)
#endif
// One kernel for all capabilities.
#define REGISTER_ALL_CPU_DISPATCH(stub, fn) \
  REGISTER_DISPATCH_DEFAULT(stub, fn)       \
  REGISTER_DISPATCH_AVX2(stub, fn)          \
  REGISTER_DISPATCH_AVX512(stub, fn)
#endif
