// A library with an operator of its own: a * b + c, with a kernel for the CPU and its derivative.
//
//   cmake --build /tmp/line
//   python -c 'import torch
//   torch.ops.load_library("/tmp/line/liboperators.so")
//   a = torch.ones(3, requires_grad=True)
//   torch.ops.example.muladd(a, torch.full((3,), 2.0), 1.0).sum().backward()
//   print(a.grad)'

#include <torch/torch.h>

namespace {

at::Tensor muladd_cpu(const at::Tensor& a, const at::Tensor& b, double c) {
  TORCH_CHECK(a.sizes() == b.sizes(), "muladd: sizes ", a.sizes(), " and ", b.sizes(), " differ");
  TORCH_CHECK(a.dtype() == b.dtype(), "muladd: types ", a.dtype(), " and ", b.dtype(), " differ");
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  at::Tensor result = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "muladd", [&] {
    const scalar_t* px = x.const_data_ptr<scalar_t>();
    const scalar_t* py = y.const_data_ptr<scalar_t>();
    scalar_t* out = result.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, result.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = px[i] * py[i] + static_cast<scalar_t>(c);
    });
  });
  return result;
}

at::Tensor muladd(const at::Tensor& a, const at::Tensor& b, double c) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("example::muladd", "")
                       .typed<decltype(muladd)>();
  return op.call(a, b, c);
}

struct MulAdd : torch::autograd::Function<MulAdd> {
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& a,
                            const at::Tensor& b, double c) {
    at::AutoDispatchBelowADInplaceOrView below;
    ctx->save_for_backward({a, b});
    return muladd(a, b, c);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0], at::Tensor()};
  }
};

at::Tensor muladd_autograd(const at::Tensor& a, const at::Tensor& b, double c) {
  return MulAdd::apply(a, b, c);
}

}  // namespace

TORCH_LIBRARY(example, m) { m.def("muladd(Tensor a, Tensor b, float c) -> Tensor"); }
TORCH_LIBRARY_IMPL(example, CPU, m) { m.impl("muladd", &muladd_cpu); }
TORCH_LIBRARY_IMPL(example, Autograd, m) { m.impl("muladd", &muladd_autograd); }
