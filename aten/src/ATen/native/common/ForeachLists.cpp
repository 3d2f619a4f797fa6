// Checks of operators on lists of tensors.

#include <ATen/native/common/ForeachLists.h>

#include <c10/util/Exception.h>

namespace at::native {

void check_lists(const char* op, size_t size, std::initializer_list<size_t> others) {
  TORCH_CHECK(size > 0, op, ": the list of tensors is empty");
  for (size_t other : others) {
    TORCH_CHECK(other == size, op, ": lists must have one length; the first has ", size,
                " elements, another has ", other);
  }
}

}  // namespace at::native
