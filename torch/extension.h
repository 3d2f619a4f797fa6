#pragma once
// What a Python extension includes: torch/torch.h and pybind11, with conversions between C++ values
// and Python's, and of errors.

#include <torch/torch.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;
using torch::THPVariable_Check;
using torch::THPVariable_Unpack;
using torch::THPVariable_Wrap;
