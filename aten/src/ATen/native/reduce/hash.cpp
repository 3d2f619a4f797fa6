// Shapes and checks of hash_tensor.

#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/hash_tensor_native.h>

namespace at::meta {

void hash_tensor(MetaBase& m, const Tensor& self, IntArrayRef dim, bool keepdim, int64_t mode) {
  const char* op = "hash_tensor";
  TORCH_CHECK(mode == 0, "Unknown hash_tensor mode: ", mode);
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "\"hash_tensor\" not implemented for '",
                              toString(self.scalar_type()), "'");
  std::vector<bool> reduced(static_cast<size_t>(self.dim()), dim.empty());
  for (int64_t d : dim) {
    const int64_t wrapped = maybe_wrap_dim(d, self.dim(), op);
    if (self.dim() == 0) continue;
    TORCH_CHECK(!reduced[static_cast<size_t>(wrapped)], op, ": dim ", d,
                " appears multiple times in the list of dims");
    reduced[static_cast<size_t>(wrapped)] = true;
    TORCH_CHECK_INDEX(self.size(wrapped) != 0, op, ": Expected reduction dim ", wrapped,
                      " to have non-zero size.");
  }
  TORCH_CHECK(!dim.empty() || self.numel() != 0, op,
              ": Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
  DimVector sizes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!reduced[static_cast<size_t>(d)]) sizes.push_back(self.size(d));
    else if (keepdim) sizes.push_back(1);
  }
  m.set_output(0, sizes, self.options().dtype(kUInt64));
}

}  // namespace at::meta
