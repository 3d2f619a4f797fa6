#include <ATen/native/MemoryOverlap.h>

namespace at {

bool has_internal_overlap(const TensorImpl& t) {
  if (t.is_non_overlapping_and_dense()) return false;
  for (int64_t d = 0; d < t.dim(); ++d) {
    if (t.strides()[d] == 0 && t.sizes()[d] > 1) return true;
  }
  return false;
}

void assert_no_internal_overlap(const TensorImpl& t, const char* op) {
  TORCH_CHECK(!has_internal_overlap(t), op,
              ": unsupported operation: more than one element of the written-to tensor refers to a "
              "single memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace at
