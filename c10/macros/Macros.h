#pragma once
// Compiler hints used across the library. Everything here must expand to nothing costly.

#define C10_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define C10_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_NOINLINE __attribute__((noinline))
#define C10_COLD __attribute__((noinline, cold))
#define C10_RESTRICT __restrict__
// The libraries are built with default visibility; the names are kept for users' headers.
#define C10_EXPORT __attribute__((visibility("default")))
#define C10_API C10_EXPORT
#define TORCH_API C10_EXPORT
// Exported data that the library itself reaches by address, without a search for the name at load
// time. Programs must then read it in place rather than hold a copy, which takes an attribute on
// the declaration (GCC 12 has it).
#if defined(__has_attribute)
#if __has_attribute(nodirect_extern_access)
#define C10_DECLARE_PROTECTED __attribute__((nodirect_extern_access))
#define C10_PROTECTED __attribute__((visibility("protected")))
#endif
#endif
#ifndef C10_PROTECTED
#define C10_DECLARE_PROTECTED
#define C10_PROTECTED
#endif

#define C10_UNUSED [[maybe_unused]]

#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)

#if defined(__CUDACC__)
#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#else
#define C10_HOST
#define C10_DEVICE
#define C10_HOST_DEVICE
#endif
