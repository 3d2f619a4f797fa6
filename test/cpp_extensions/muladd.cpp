// A library of operators written as tutorials on custom operators write one. Its functions are
// called from Python as torch.ops.extension_cpp.NAME.

#include <ATen/Operators.h>
#include <Python.h>
#include <torch/all.h>
#include <torch/library.h>

#include <vector>

extern "C" {
// An empty module, so that `import` loads the library and runs its TORCH_LIBRARY blocks.
PyObject* PyInit_muladd(void) {
  static struct PyModuleDef module_def = {
      PyModuleDef_HEAD_INIT, "muladd", NULL, -1, NULL,
  };
  return PyModule_Create(&module_def);
}
}

namespace extension_cpp {

at::Tensor mymuladd_cpu(const at::Tensor& a, const at::Tensor& b, double c) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(a.dtype() == at::kFloat);
  TORCH_CHECK(b.dtype() == at::kFloat);
  TORCH_INTERNAL_ASSERT(a.device().type() == at::DeviceType::CPU);
  TORCH_INTERNAL_ASSERT(b.device().type() == at::DeviceType::CPU);
  at::Tensor a_contig = a.contiguous();
  at::Tensor b_contig = b.contiguous();
  at::Tensor result = torch::empty(a_contig.sizes(), a_contig.options());
  const float* a_ptr = a_contig.data_ptr<float>();
  const float* b_ptr = b_contig.data_ptr<float>();
  float* result_ptr = result.data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); i++) {
    result_ptr[i] = a_ptr[i] * b_ptr[i] + c;
  }
  return result;
}

at::Tensor mymul_cpu(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes(), "mymul: ", a.sizes(), " and ", b.sizes(), " differ");
  auto x = a.contiguous(), y = b.contiguous();
  auto result = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "mymul", [&] {
    const scalar_t* px = x.const_data_ptr<scalar_t>();
    const scalar_t* py = y.const_data_ptr<scalar_t>();
    scalar_t* pr = result.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, result.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
      for (const auto i : c10::irange(begin, end)) pr[i] = px[i] * py[i];
    });
  });
  return result;
}

// Writes a + b into out.
void myadd_out_cpu(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(b.sizes() == out.sizes());
  TORCH_CHECK(out.is_contiguous());
  at::Tensor x = a.contiguous(), y = b.contiguous();
  auto px = x.accessor<float, 1>(), py = y.accessor<float, 1>(), pr = out.accessor<float, 1>();
  for (int64_t i = 0; i < pr.size(0); i++) pr[i] = px[i] + py[i];
}

std::tuple<at::Tensor, at::Tensor> extremes_cpu(const at::Tensor& x, std::optional<int64_t> dim) {
  if (!dim) return {x.min(), x.max()};
  auto values = x.sort(*dim);
  return {std::get<0>(values).select(*dim, 0), std::get<0>(values).select(*dim, -1)};
}

at::Tensor total(at::TensorList tensors, at::IntArrayRef weights) {
  TORCH_CHECK_VALUE(tensors.size() == weights.size(), "total: ", tensors.size(), " tensors and ",
                    weights.size(), " weights");
  at::Tensor sum = at::zeros_like(tensors[0]);
  for (size_t i = 0; i < tensors.size(); ++i) sum = sum + tensors[i] * weights[i];
  return sum;
}

// Differentiated in C++: the kernel at autograd calls the operator again, below autograd.
at::Tensor mysquare(const at::Tensor& x) {
  static auto op = torch::Dispatcher::singleton()
                       .findSchemaOrThrow("extension_cpp::mysquare", "")
                       .typed<decltype(mysquare)>();
  return op.call(x);
}
at::Tensor mysquare_cpu(const at::Tensor& x) { return x * x; }

class MySquare : public torch::autograd::Function<MySquare> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, torch::Tensor x) {
    at::AutoDispatchBelowADInplaceOrView g;
    ctx->save_for_backward({x});
    return mysquare(x);
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    return {grad_outputs[0] * saved[0] * 2};
  }
};
at::Tensor mysquare_autograd(const at::Tensor& x) { return MySquare::apply(x); }

TORCH_LIBRARY(extension_cpp, m) {
  m.def("mymuladd(Tensor a, Tensor b, float c) -> Tensor");
  m.def("mymul(Tensor a, Tensor b) -> Tensor", {at::Tag::pt2_compliant_tag});
  m.def("myadd_out(Tensor a, Tensor b, Tensor(a!) out) -> ()");
  m.def("extremes(Tensor x, int? dim=None) -> (Tensor, Tensor)");
  m.def("total(Tensor[] tensors, int[] weights) -> Tensor", &total);
  m.def("mysquare(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(extension_cpp, CPU, m) {
  m.impl("mymuladd", &mymuladd_cpu);
  m.impl("mymul", &mymul_cpu);
  m.impl("myadd_out", &myadd_out_cpu);
  m.impl("extremes", &extremes_cpu);
  m.impl("mysquare", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(mysquare_cpu)));
}

TORCH_LIBRARY_IMPL(extension_cpp, Autograd, m) { m.impl("mysquare", mysquare_autograd); }

}  // namespace extension_cpp
