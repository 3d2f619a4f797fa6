// What passes between Python and an extension: types, devices, numbers, lists, errors.

#include <torch/extension.h>

#include <sstream>
#include <string>

std::string describe(at::ScalarType dtype, at::Device device, const at::Scalar& number,
                     std::optional<at::Tensor> tensor, at::IntArrayRef list) {
  std::ostringstream out;
  out << dtype << " " << device << " " << number << " " << tensor.has_value() << " " << list;
  return out.str();
}
at::ScalarType dtype_of(const torch::Tensor& x) { return x.scalar_type(); }
at::Device device_of(const torch::Tensor& x) { return x.device(); }
at::IntArrayRef sizes_of(const torch::Tensor& x) { return x.sizes(); }
at::Scalar largest(const torch::Tensor& x) { return x.max().item(); }

std::vector<torch::Tensor> made() {
  static float memory[2] = {0, 1};
  return {torch::tensor({1, 2, 3}), torch::tensor({{1.5, 2.0}, {3.0, 4.0}}),
          torch::from_blob(memory, {2}, torch::TensorOptions().dtype(torch::kFloat32)).clone(),
          torch::tensor(std::vector<int>{1, 0}).to(torch::kBool)};
}
torch::Tensor numbers(int64_t seed) {
  torch::manual_seed(seed);
  return torch::rand({3});
}
std::string text(const torch::Tensor& x) {
  std::stringstream out;
  out << x;
  return out.str();
}

void fail(const std::string& kind) {
  TORCH_CHECK_INDEX(kind != "index", "what was wrong");
  TORCH_CHECK_VALUE(kind != "value", "what was wrong");
  TORCH_CHECK_TYPE(kind != "type", "what was wrong");
  TORCH_CHECK_NOT_IMPLEMENTED(kind != "not", "what was wrong");
  TORCH_CHECK(false, "what was wrong");
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("describe", &describe);
  m.def("dtype_of", &dtype_of);
  m.def("device_of", &device_of);
  m.def("sizes_of", &sizes_of);
  m.def("largest", &largest);
  m.def("made", &made);
  m.def("numbers", &numbers);
  m.def("text", &text);
  m.def("fail", torch::wrap_pybind_function(fail), "raises an error");
}
