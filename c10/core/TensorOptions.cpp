// The default dtype, used by options without a dtype.

#include <c10/core/TensorOptions.h>

#include <atomic>

#include <c10/util/Exception.h>

namespace c10 {

static std::atomic<ScalarType> g_default_dtype{kFloat};

ScalarType get_default_dtype() { return g_default_dtype.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType dtype) {
  TORCH_CHECK_TYPE(isFloatingType(dtype),
                   "only floating-point types are supported as the default type, got ",
                   dtypeName(dtype));
  g_default_dtype.store(dtype, std::memory_order_relaxed);
}

ScalarType get_default_complex_dtype() { return toComplexType(get_default_dtype()); }

}  // namespace c10
