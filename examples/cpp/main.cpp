// Fits a line to noisy points by gradient descent, with tensors and autograd in C++.
//
//   prefix=$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')
//   cmake -S examples/cpp -B /tmp/line -DCMAKE_PREFIX_PATH="$prefix"
//   cmake --build /tmp/line && /tmp/line/line

#include <cmath>
#include <iostream>

#include <torch/torch.h>

int main() {
  torch::manual_seed(0);
  torch::Tensor x = torch::linspace(-1, 1, 200);
  torch::Tensor y = x * 3.0 - 0.5 + torch::randn({200}) * 0.01;
  torch::Tensor slope = torch::zeros({}, torch::requires_grad());
  torch::Tensor offset = torch::zeros({}, torch::requires_grad());
  for (int step = 0; step < 200; ++step) {
    torch::Tensor loss = (x * slope + offset - y).pow(2).mean();
    auto grads = torch::autograd::grad({loss}, {slope, offset});
    torch::NoGradGuard no_grad;
    slope -= grads[0] * 0.3;
    offset -= grads[1] * 0.3;
  }
  std::cout << "y = " << slope.item<double>() << " x + " << offset.item<double>() << std::endl;
  return std::abs(slope.item<double>() - 3) < 0.05 && std::abs(offset.item<double>() + 0.5) < 0.05
             ? 0
             : 1;
}
