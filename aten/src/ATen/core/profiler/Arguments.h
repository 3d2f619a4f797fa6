#pragma once
// The recorded arguments of a call: words in the thread's buffer, decoded when the profile ends.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/core/ScalarType.h>

namespace at::profiler {

struct TensorInfo {
  c10::ScalarType dtype = c10::ScalarType::Undefined;  // Undefined: no tensor
  std::vector<int64_t> sizes, strides;
};

struct Argument {
  enum Kind : uint8_t { Nothing, OneTensor, Tensors, Number, Numbers } kind = Nothing;
  std::vector<TensorInfo> tensors;  // one for OneTensor
  // Real and imaginary part of complex numbers.
  std::variant<std::monostate, bool, int64_t, double, std::pair<double, double>> number;
  std::vector<int64_t> numbers;

  bool is_tensor() const {
    return kind == OneTensor && tensors[0].dtype != c10::ScalarType::Undefined;
  }
};

// Appends the arguments; read_arguments takes the position where they begin.
void write_arguments(std::vector<int64_t>& words, const ObservedArgument* arguments, int count);
std::vector<Argument> read_arguments(const std::vector<int64_t>& words, size_t begin);

// The floating point operations of a call, 0 if they are not counted: matrix products and conv2d
// count two for each multiplication with its addition, add and mul one for each element of the
// first argument.
int64_t count_flops(const char* name, const std::vector<Argument>& arguments);

}  // namespace at::profiler
