// The error for a type that a kernel does not support.

#include <ATen/native/common/TypeDispatch.h>

namespace at {

void fail_dispatch_types(const char* op, c10::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "\"", op, "\" not implemented for '", c10::toString(dtype),
                              "'");
  __builtin_unreachable();
}

}  // namespace at
