#pragma once
// Functions that the formulas of native_functions*.yaml call, one family of operators a file
// (functions/).

#include <torch/csrc/autograd/functions/formulas_activation.h>
#include <torch/csrc/autograd/functions/formulas_convolution.h>
#include <torch/csrc/autograd/functions/formulas_embedding.h>
#include <torch/csrc/autograd/functions/formulas_indexing.h>
#include <torch/csrc/autograd/functions/formulas_linalg.h>
#include <torch/csrc/autograd/functions/formulas_loss.h>
#include <torch/csrc/autograd/functions/formulas_nn.h>
#include <torch/csrc/autograd/functions/formulas_pointwise.h>
#include <torch/csrc/autograd/functions/formulas_reduce.h>
#include <torch/csrc/autograd/functions/formulas_rnn.h>
#include <torch/csrc/autograd/functions/formulas_views.h>

namespace torch::autograd::generated {

// A gradient of zeros: what flows to a value that was overwritten.
Tensor zeros_like_grad(const Tensor& grad);

}  // namespace torch::autograd::generated
