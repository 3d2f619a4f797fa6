// Sobol sequences on CUDA devices. In the order of Gray codes, what changes between two steps are
// the bits in which the codes of their numbers differ: each point is computed from the first.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/sobol/sobol.h>
#include <ATen/ops/_sobol_engine_ff__native.h>
#include <ATen/ops/_sobol_engine_initialize_state__native.h>
#include <ATen/ops/_sobol_engine_scramble__native.h>
#include <ATen/ops/copy_.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>

namespace at::native {
namespace {

constexpr int64_t kThreads = 128;

// The direction numbers of each dimension, one for each bit.
struct Directions {
  const int64_t* data;
  int64_t dimension_stride, bit_stride;

  // What changes a number of that dimension in steps `from` to `to`.
  __device__ int64_t change(int64_t dimension, int64_t from, int64_t to) const {
    const int64_t changed = (from ^ from >> 1) ^ (to ^ to >> 1);
    int64_t value = 0;
    for (int64_t bit = 0; bit < kSobolBits; ++bit) {
      if (changed >> bit & 1) value ^= data[dimension * dimension_stride + bit * bit_stride];
    }
    return value;
  }
};

template <typename T>
__global__ void draw_kernel(const int64_t* quasi, Directions directions, int64_t num_generated,
                            int64_t n, int64_t dimension, T* out) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= n * dimension) return;
  const int64_t i = at / dimension, d = at % dimension;
  const int64_t value = quasi[d] ^ directions.change(d, num_generated, num_generated + i + 1);
  out[at] = static_cast<T>(value) * (T(1) / (int64_t(1) << kSobolBits));
}

__global__ void advance_kernel(int64_t* quasi, int64_t stride, Directions directions,
                               int64_t num_generated, int64_t n, int64_t dimension) {
  const int64_t d = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (d < dimension) quasi[d * stride] ^= directions.change(d, num_generated, num_generated + n);
}

// The product of each number, as bits from the highest on, and a matrix over the field of two
// elements. The diagonal counts as 1, so that the matrix is invertible.
__global__ void scramble_kernel(int64_t* state, int64_t stride0, int64_t stride1,
                                const int64_t* ltm, int64_t ltm0, int64_t ltm1, int64_t ltm2,
                                int64_t dimension) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= dimension * kSobolBits) return;
  const int64_t d = at / kSobolBits, j = at % kSobolBits;
  int64_t& value = state[d * stride0 + j * stride1];
  int64_t scrambled = 0;
  for (int64_t p = 0; p < kSobolBits; ++p) {
    uint64_t row = 0;
    for (int64_t k = 0; k < kSobolBits; ++k) {
      const int64_t entry = k == p ? 1 : ltm[d * ltm0 + p * ltm1 + k * ltm2];
      row += static_cast<uint64_t>(entry) << (kSobolBits - 1 - k);
    }
    uint64_t bits = row & static_cast<uint64_t>(value);
    for (int half = 32; half > 0; half /= 2) bits ^= bits >> half;
    scrambled = scrambled << 1 | static_cast<int64_t>(bits & 1);
  }
  value = scrambled;
}

template <typename... P, typename... A>
void run(void (*kernel)(P...), const Tensor& on, int64_t threads, const A&... arguments) {
  if (threads == 0) return;
  c10::OptionalDeviceGuard guard(on.device());
  c10::cuda::launch(kernel, {static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads},
                    c10::cuda::getCurrentCUDAStream(on.device().index()), arguments...);
}

void advance(const Tensor& quasi, const Directions& directions, int64_t num_generated, int64_t n,
             int64_t dimension) {
  run(advance_kernel, quasi, dimension, static_cast<int64_t*>(quasi.data_ptr()), quasi.stride(0),
      directions, num_generated, n, dimension);
}

}  // namespace

static void sobol_draw_kernel(const Tensor& quasi, const Tensor& directions_, int64_t num_generated,
                              const Tensor& out) {
  const int64_t n = out.size(0), dimension = out.size(1);
  const Directions directions{static_cast<const int64_t*>(directions_.data_ptr()), 1, dimension};
  dispatch_types<FloatingTypes>(out.scalar_type(), "_sobol_engine_draw",
                                [&]<typename T>(TypeTag<T>) {
    run(draw_kernel<T>, out, n * dimension, static_cast<const int64_t*>(quasi.data_ptr()),
        directions, num_generated, n, dimension, static_cast<T*>(out.data_ptr()));
  });
  advance(quasi, directions, num_generated, n, dimension);
}

static void ff_kernel(Tensor& self, int64_t n, const Tensor& sobolstate, int64_t dimension,
                      int64_t num_generated) {
  const Directions directions{static_cast<const int64_t*>(sobolstate.data_ptr()),
                              sobolstate.stride(0), sobolstate.stride(1)};
  advance(self, directions, num_generated, n, dimension);
}

static void scramble(Tensor& self, const Tensor& ltm, int64_t dimension) {
  run(scramble_kernel, self, dimension * kSobolBits, static_cast<int64_t*>(self.data_ptr()),
      self.stride(0), self.stride(1), static_cast<const int64_t*>(ltm.data_ptr()), ltm.stride(0),
      ltm.stride(1), ltm.stride(2), dimension);
}

// The table of direction numbers is on the host.
static void initialize_state(Tensor& self, int64_t dimension) {
  Tensor host = empty_tensor(self.sizes(), kLong);
  at::copy_(host, self);
  _sobol_engine_initialize_state__stub(kCPU, host, dimension);
  at::copy_(self, host);
}

REGISTER_CUDA_DISPATCH(sobol_draw_stub, &sobol_draw_kernel)
REGISTER_CUDA_DISPATCH(_sobol_engine_ff__stub, &ff_kernel)
REGISTER_CUDA_DISPATCH(_sobol_engine_scramble__stub, &scramble)
REGISTER_CUDA_DISPATCH(_sobol_engine_initialize_state__stub, &initialize_state)

}  // namespace at::native
