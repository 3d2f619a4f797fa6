// Moves few elements one by one: views and a copy would take longer.

#include <ATen/native/common/ElementBits.h>
#include <ATen/native/shuffle/shuffle.h>
#include <c10/util/SmallVector.h>

namespace at::native {

static void move_few(const Tensor& source, const Tensor& target, IntArrayRef sizes,
                     IntArrayRef steps) {
  const size_t last = sizes.size() - 1;
  by_size(source.itemsize(), [&]<typename T>(T) {
    const T* from = static_cast<const T*>(source.data_ptr());
    T* to = static_cast<T*>(target.data_ptr());
    DimVector at(sizes.size(), 0);
    for (const T* const end = to + target.numel(); to < end;) {
      for (int64_t i = 0; i < sizes[last]; ++i) *to++ = from[i * steps[last]];
      for (size_t d = last; d-- > 0;) {
        from += steps[d];
        if (++at[d] < sizes[d]) break;
        from -= at[d] * steps[d];
        at[d] = 0;
      }
    }
  });
}

REGISTER_ALL_CPU_DISPATCH(move_few_stub, &move_few)

}  // namespace at::native
