// Checks of the operators behind Sobol sequences.

#include <ATen/native/sobol/sobol.h>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_sobol_engine_draw_native.h>
#include <ATen/ops/_sobol_engine_ff__native.h>
#include <ATen/ops/_sobol_engine_initialize_state__native.h>
#include <ATen/ops/_sobol_engine_scramble__native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/t.h>

namespace at {
namespace {

void check_long(const char* op, const char* name, const Tensor& t) {
  TORCH_CHECK(t.scalar_type() == kLong, op, ": ", name, " must be of type int64, but it is ",
              dtypeName(t.scalar_type()));
}

void check_dimension(const char* op, int64_t dimension) {
  TORCH_CHECK(dimension >= 1 && dimension <= native::kSobolMaxDimensions, op,
              ": dimension must be from 1 to ", native::kSobolMaxDimensions, ", but it is ",
              dimension);
}

void check_state(const char* op, const char* name, const Tensor& state, int64_t dimension) {
  check_long(op, name, state);
  check_dimension(op, dimension);
  TORCH_CHECK(state.dim() == 2 && state.size(0) >= dimension && state.size(1) == native::kSobolBits,
              op, ": ", name, " must have the shape (", dimension, ", ", native::kSobolBits,
              "), but it has ", state.sizes());
}

void check_device(const char* op, const char* name, const Tensor& t, const Tensor& first) {
  TORCH_CHECK(t.device() == first.device(), op, ": ", name, " must be on ", first.device(),
              ", but it is on ", t.device());
}

void check_steps(const char* op, const Tensor& quasi, int64_t n, const Tensor& sobolstate,
                 int64_t dimension, int64_t num_generated) {
  check_long(op, "quasi", quasi);
  check_state(op, "sobolstate", sobolstate, dimension);
  check_device(op, "sobolstate", sobolstate, quasi);
  TORCH_CHECK(quasi.dim() == 1 && quasi.size(0) >= dimension, op, ": quasi must have the shape (",
              dimension, "), but it has ", quasi.sizes());
  TORCH_CHECK(n >= 0 && num_generated >= 0, op,
              ": n and num_generated must not be negative, but they are ", n, " and ",
              num_generated);
  constexpr int64_t limit = (int64_t(1) << native::kSobolBits) - 1;
  TORCH_CHECK(num_generated <= limit && n <= limit - num_generated, op, ": a sequence has at most ",
              limit, " steps, but these go from ", num_generated, " on for ", n);
}

}  // namespace

namespace meta {

void _sobol_engine_ff_(Tensor& self, int64_t n, const Tensor& sobolstate, int64_t dimension,
                       int64_t num_generated) {
  check_steps("_sobol_engine_ff_", self, n, sobolstate, dimension, num_generated);
}

void _sobol_engine_scramble_(Tensor& self, const Tensor& ltm, int64_t dimension) {
  const char* op = "_sobol_engine_scramble_";
  check_state(op, "self", self, dimension);
  check_long(op, "ltm", ltm);
  check_device(op, "ltm", ltm, self);
  const int64_t bits = native::kSobolBits;
  TORCH_CHECK(
      ltm.dim() == 3 && ltm.size(0) >= dimension && ltm.size(1) == bits && ltm.size(2) == bits, op,
      ": ltm must have the shape (", dimension, ", ", bits, ", ", bits, "), but it has ",
      ltm.sizes());
}

void _sobol_engine_initialize_state_(Tensor& self, int64_t dimension) {
  check_state("_sobol_engine_initialize_state_", "self", self, dimension);
}

}  // namespace meta

namespace native {

std::tuple<Tensor, Tensor> _sobol_engine_draw(const Tensor& quasi, int64_t n,
                                              const Tensor& sobolstate, int64_t dimension,
                                              int64_t num_generated,
                                              std::optional<ScalarType> dtype) {
  const char* op = "_sobol_engine_draw";
  check_steps(op, quasi, n, sobolstate, dimension, num_generated);
  const ScalarType type = dtype.value_or(kFloat);
  TORCH_CHECK_NOT_IMPLEMENTED(type == kFloat || type == kDouble, "\"", op,
                              "\" not implemented for '", toString(type), "'");
  Tensor next = at::clone(quasi, MemoryFormat::Contiguous);
  Tensor result = at::empty({n, dimension}, quasi.options().dtype(type));
  Tensor directions = at::contiguous(at::t(at::slice(sobolstate, 0, 0, dimension)));
  if (n > 0) sobol_draw_stub(result.device().type(), next, directions, num_generated, result);
  return {result, next};
}

}  // namespace native
}  // namespace at
