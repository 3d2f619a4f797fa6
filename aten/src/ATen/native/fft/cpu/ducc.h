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

#include <ducc0/fft/fft1d_impl.h>
#include <ducc0/infra/string_utils.cc>
#include <ducc0/infra/threading.cc>
