// Lists of tensors of the forms of optimizer steps.

#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/optim/lists.h>
#include <ATen/ops/clone.h>

namespace at::native {

std::vector<Tensor> copies(TensorList tensors) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors) result.push_back(at::clone(t));
  return result;
}

void copy_to(const char* op, TensorList out, TensorList tensors) {
  TORCH_CHECK(out.size() == tensors.size(), op, ": out has ", out.size(), " tensors, expected ",
              tensors.size());
  for (size_t k = 0; k < out.size(); ++k)
    copy_to_exact_output(op, const_cast<Tensor&>(out[k]), tensors[k]);
}

}  // namespace at::native
