// The error for a dimension out of range.

#include <c10/core/WrapDimMinimal.h>

#include <c10/util/Exception.h>

namespace c10 {

void fail_wrap_dim(int64_t dim, int64_t rank, const char* op) {
  TORCH_CHECK_INDEX(rank > 0, op ? op : "", op ? "(): " : "", "Dimension specified as ", dim,
                    " but tensor has no dimensions");
  TORCH_CHECK_INDEX(false, op ? op : "", op ? "(): " : "",
                    "Dimension out of range (expected to be in range of [", -rank, ", ", rank - 1,
                    "], but got ", dim, ")");
  __builtin_unreachable();
}

}  // namespace c10
