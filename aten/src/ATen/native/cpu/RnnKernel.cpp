#include <ATen/Parallel.h>
#include <ATen/native/RnnStubs.h>
#include <ATen/native/cpu/Vec.h>

namespace at::native {
namespace {

using V = Vec<float>;

V sigmoid(V x) { return V(1.0f) / (V(1.0f) + exp(-x)); }

constexpr int64_t kGrain = 2048;

// f(first element, count) for pieces of a row of n numbers; the last piece may be shorter than a register.
template <typename F>
void pieces(int64_t n, const F& f) {
  int64_t i = 0;
  for (; i + V::size <= n; i += V::size) f(i, V::size);
  if (i < n) f(i, n - i);
}

V load(const float* p, int64_t n) { return n == V::size ? V::load(p) : V::load(p, n); }
void store(V x, float* p, int64_t n) { n == V::size ? x.store(p) : x.store(p, n); }

void lstm_cell_kernel(int64_t batch, int64_t hidden, float* gates, const float* more, const float* c_before, float* c, float* h) {
  parallel_for(0, batch, std::max<int64_t>(1, kGrain / hidden), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      float* g = gates + b * 4 * hidden;
      const float* m = more + b * 4 * hidden;
      const float* before = c_before + b * hidden;
      pieces(hidden, [&](int64_t j, int64_t n) {
        auto gate = [&](int k) { return load(g + k * hidden + j, n) + load(m + k * hidden + j, n); };
        V i = sigmoid(gate(0)), f = sigmoid(gate(1)), u = tanh(gate(2)), o = sigmoid(gate(3));
        V now = f * load(before + j, n) + i * u;
        store(i, g + j, n);
        store(f, g + hidden + j, n);
        store(u, g + 2 * hidden + j, n);
        store(o, g + 3 * hidden + j, n);
        store(now, c + b * hidden + j, n);
        store(o * tanh(now), h + b * hidden + j, n);
      });
    }
  });
}

void lstm_cell_backward_kernel(int64_t batch, int64_t hidden, const float* gates, const float* c_before, const float* c, const float* dh,
                               float* dc, float* dgates) {
  parallel_for(0, batch, std::max<int64_t>(1, kGrain / hidden), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const float* g = gates + b * 4 * hidden;
      float* d = dgates + b * 4 * hidden;
      int64_t row = b * hidden;
      pieces(hidden, [&](int64_t j, int64_t n) {
        V i = load(g + j, n), f = load(g + hidden + j, n), u = load(g + 2 * hidden + j, n), o = load(g + 3 * hidden + j, n);
        V one(1.0f), grad_h = load(dh + row + j, n), t = tanh(load(c + row + j, n));
        V grad_c = load(dc + row + j, n) + grad_h * o * (one - t * t);
        store(grad_c * u * i * (one - i), d + j, n);
        store(grad_c * load(c_before + row + j, n) * f * (one - f), d + hidden + j, n);
        store(grad_c * i * (one - u * u), d + 2 * hidden + j, n);
        store(grad_h * t * o * (one - o), d + 3 * hidden + j, n);
        store(grad_c * f, dc + row + j, n);
      });
    }
  });
}

}  // namespace

REGISTER_DISPATCH(lstm_cell_stub, &lstm_cell_kernel)
REGISTER_DISPATCH(lstm_cell_backward_stub, &lstm_cell_backward_kernel)

}  // namespace at::native
