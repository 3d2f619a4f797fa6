// Chooses the CPU capability when the library is loaded.

#include <ATen/native/common/DispatchStub.h>

#include <algorithm>
#include <string>

#include <c10/util/Environment.h>
#include <c10/util/Exception.h>

namespace at::native {

static CPUCapability best_of_machine() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return CPUCapability::AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return CPUCapability::AVX2;
  return CPUCapability::DEFAULT;
}

static CPUCapability choose() {
  __builtin_cpu_init();
  CPUCapability chosen = best_of_machine();
  const int requested = c10::env_choice("ATEN_CPU_CAPABILITY", {"default", "avx2", "avx512"});
  if (requested >= 0) chosen = std::min(chosen, static_cast<CPUCapability>(requested));
#ifndef HAVE_AVX512_CPU_DEFINITION
  if (chosen == CPUCapability::AVX512) chosen = CPUCapability::AVX2;
#endif
#ifndef HAVE_AVX2_CPU_DEFINITION
  if (chosen == CPUCapability::AVX2) chosen = CPUCapability::DEFAULT;
#endif
#ifndef HAVE_DEFAULT_CPU_DEFINITION
  // A build for one machine only (BUILD_CPU_CAPABILITY=native) contains just that machine's
  // kernels.
#ifdef HAVE_AVX512_CPU_DEFINITION
  chosen = CPUCapability::AVX512;
#else
  chosen = CPUCapability::AVX2;
#endif
#endif
  if (requested >= 0 && chosen > static_cast<CPUCapability>(requested)) {
    c10::env_ignored(
        "ATEN_CPU_CAPABILITY",
        std::string("this build has kernels for nothing below ") + cpu_capability_name(chosen));
  }
  return chosen;
}

const CPUCapability g_cpu_capability = choose();

const char* cpu_capability_name(CPUCapability capability) {
  static const char* const names[] = {"DEFAULT", "AVX2", "AVX512"};
  return names[static_cast<int>(capability)];
}

StubObserver g_stub_observer = nullptr;

void fail_dispatch_stub(const char* name, c10::DeviceType device) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, name, ": no kernel for device type ",
                              c10::DeviceTypeName(device));
  __builtin_unreachable();
}

void fail_lazy_bits(const char* name) {
  TORCH_INTERNAL_ASSERT(false, name,
                        ": an argument has lazy bits, and its memory holds other "
                        "numbers than its elements");
  __builtin_unreachable();
}

}  // namespace at::native
