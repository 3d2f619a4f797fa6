// A recurrent cell written as extension tutorials write one: a forward and a backward function,
// bound with pybind11, that Python joins in a torch.autograd.Function.

#include <torch/extension.h>

#include <iostream>
#include <vector>

#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x)                                                             \
  TORCH_CHECK(!x.is_cuda() && !x.is_sparse(), #x " must be dense and on the CPU"); \
  CHECK_CONTIGUOUS(x)

// The derivative of the logistic function at z.
torch::Tensor d_sigmoid(torch::Tensor z) {
  auto s = torch::sigmoid(z);
  return (1 - s) * s;
}

torch::Tensor d_tanh(torch::Tensor z) { return 1 - z.tanh().pow(2); }

// h' = (1 - u) * c + u * h, with update gate u and candidate c from one matrix product.
std::vector<at::Tensor> cell_forward(torch::Tensor input, torch::Tensor weights, torch::Tensor bias,
                                     torch::Tensor old_h) {
  CHECK_INPUT(input);
  TORCH_CHECK(input.dim() == 2, "input has to be two-dimensional, got ", input.dim());
  TORCH_CHECK(weights.size(1) == input.size(1) + old_h.size(1), "weights of sizes ",
              weights.sizes(), " do not fit input ", input.sizes(), " and state ", old_h.sizes());
  auto x = torch::cat({old_h, input}, /*dim=*/1);
  auto gate_weights = torch::addmm(bias, x, weights.transpose(0, 1));
  auto gates = gate_weights.chunk(2, /*dim=*/1);
  auto update = torch::sigmoid(gates[0]);
  auto candidate = torch::tanh(gates[1]);
  auto new_h = (1 - update) * candidate + update * old_h;
  return {new_h, update, candidate, x, gate_weights};
}

std::vector<torch::Tensor> cell_backward(torch::Tensor grad_h, torch::Tensor update,
                                         torch::Tensor candidate, torch::Tensor x,
                                         torch::Tensor gate_weights, torch::Tensor weights,
                                         torch::Tensor old_h) {
  auto d_update = grad_h * (old_h - candidate);
  auto d_candidate = grad_h * (1 - update);
  auto gates = gate_weights.chunk(2, /*dim=*/1);
  d_update *= d_sigmoid(gates[0]);
  d_candidate *= d_tanh(gates[1]);
  auto d_gates = torch::cat({d_update, d_candidate}, /*dim=*/1);

  auto d_weights = d_gates.t().mm(x);
  auto d_bias = d_gates.sum(/*dim=*/0, /*keepdim=*/true);
  auto d_x = d_gates.mm(weights);
  const auto state_size = grad_h.size(1);
  auto d_old_h = d_x.slice(/*dim=*/1, 0, state_size) + grad_h * update;
  auto d_input = d_x.slice(/*dim=*/1, state_size);
  return {d_input, d_weights, d_bias, d_old_h};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &cell_forward, "the cell's next state, and what backward needs");
  m.def("backward", &cell_backward, "the gradients of the cell's inputs");
}
