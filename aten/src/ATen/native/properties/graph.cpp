// A tensor's place in the graph as operators, and assertions about values.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_assert_async_native.h>
#include <ATen/ops/backward_native.h>
#include <ATen/ops/data_native.h>
#include <ATen/ops/is_nonzero.h>
#include <ATen/ops/output_nr_native.h>
#include <ATen/ops/requires_grad__native.h>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <string>

namespace at::native {

Tensor data(const Tensor& self) { return torch::autograd::detach_shallow(self); }

Tensor& requires_grad_(Tensor& self, bool requires_grad) {
  self.set_requires_grad(requires_grad);
  return self;
}

int64_t output_nr(const Tensor& self) {
  const auto* meta = torch::autograd::get_autograd_meta(self);
  return meta ? meta->output_nr : 0;
}

void backward(const Tensor& self, const std::optional<Tensor>& gradient,
              std::optional<bool> retain_graph, bool create_graph) {
  torch::autograd::backward({self}, {gradient.value_or(Tensor())}, retain_graph, create_graph);
}

void _assert_async(const Tensor& self, std::string_view assert_msg) {
  TORCH_CHECK(at::is_nonzero(self), std::string(assert_msg));
}

void _assert_async(const Tensor& self) {
  _assert_async(self,
                "_assert_async: expected a tensor with one value that is not zero, but it is zero");
}

// Without values there is nothing to assert.
void _assert_nothing(const Tensor&) {}
void _assert_nothing(const Tensor&, std::string_view) {}

}  // namespace at::native
