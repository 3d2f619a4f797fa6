// Fits a line to noisy points by gradient descent, with tensors and autograd in C++.
//
//   prefix=$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')
//   cmake -S examples/cpp -B /tmp/line -DCMAKE_PREFIX_PATH="$prefix"
//   cmake --build /tmp/line && /tmp/line/line

#include <cmath>
#include <iostream>

#include <torch/torch.h>

int main() {
  torch::Tensor x = torch::linspace(-1, 1, 200);
  torch::Tensor y = x * 3.0 - 0.5 + torch::randn({200}) * 0.01;
  torch::Tensor slope = torch::zeros({}), offset = torch::zeros({});
  slope.set_requires_grad(true);
  offset.set_requires_grad(true);
  for (int step = 0; step < 200; ++step) {
    torch::Tensor loss = (x * slope + offset - y).pow(2).mean();
    loss.backward();
    torch::NoGradGuard no_grad;
    for (torch::Tensor* p : {&slope, &offset}) {
      p->sub_(p->grad() * 0.3);
      p->grad().zero_();
    }
  }
  std::cout << "y = " << slope.item().toDouble() << " x + " << offset.item().toDouble()
            << std::endl;
  return std::abs(slope.item().toDouble() - 3) < 0.05 &&
                 std::abs(offset.item().toDouble() + 0.5) < 0.05
             ? 0
             : 1;
}
