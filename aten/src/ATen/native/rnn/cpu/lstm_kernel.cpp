// Rows of a batch are independent: a thread takes some of them through all steps without waiting
// for others. The weights are packed once, so that a tile of the product reads them sequentially
// and keeps its sums in registers.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/rnn/rnn.h>

namespace at::native {
namespace {

using V = Vec<float>;
constexpr int64_t W = V::size;
constexpr int64_t kGrain = 2048;

V load(const float* p, int64_t n) { return n == W ? V::load(p) : V::load(p, n); }
void store(V x, float* p, int64_t n) { n == W ? x.store(p) : x.store(p, n); }

// f(first element, count) for pieces of a row of n numbers; the last piece may be shorter than a
// register.
template <typename F>
void pieces(int64_t n, const F& f) {
  int64_t i = 0;
  for (; i + W <= n; i += W) f(i, W);
  if (i < n) f(i, n - i);
}

// --- one cell -----------------------------------------------------------------------------------

struct Row {
  float* gates;
  const float* bias;
  const float* c_before;
  float *c, *h;
};

// Elements [j, j + n) of a row; more(gate) is the hidden state's contribution.
template <typename More>
C10_ALWAYS_INLINE void cell(const Row& r, int64_t hidden, int64_t j, int64_t n, const More& more) {
  auto gate = [&](int k) {
    return load(r.gates + k * hidden + j, n) + load(r.bias + k * hidden + j, n) + more(k);
  };
  V i = logistic(gate(0)), f = logistic(gate(1)), u = tanh(gate(2)), o = logistic(gate(3));
  V now = f * load(r.c_before + j, n) + i * u;
  store(i, r.gates + j, n);
  store(f, r.gates + hidden + j, n);
  store(u, r.gates + 2 * hidden + j, n);
  store(o, r.gates + 3 * hidden + j, n);
  store(now, r.c + j, n);
  store(o * tanh(now), r.h + j, n);
}

void cell_backward_row(int64_t hidden, const float* g, const float* c_before, const float* c,
                       const float* dh, float* dc, float* d) {
  pieces(hidden, [&](int64_t j, int64_t n) {
    V i = load(g + j, n), f = load(g + hidden + j, n), u = load(g + 2 * hidden + j, n),
      o = load(g + 3 * hidden + j, n);
    V one(1.0f), grad_h = load(dh + j, n), t = tanh(load(c + j, n));
    V grad_c = load(dc + j, n) + grad_h * o * (one - t * t);
    store(grad_c * u * i * (one - i), d + j, n);
    store(grad_c * load(c_before + j, n) * f * (one - f), d + hidden + j, n);
    store(grad_c * i * (one - u * u), d + 2 * hidden + j, n);
    store(grad_h * t * o * (one - o), d + 3 * hidden + j, n);
    store(grad_c * f, dc + j, n);
  });
}

// --- tiles of a product -------------------------------------------------------------------------

#if defined(CPU_CAPABILITY_AVX512)
constexpr int kRows = 6;
#else
constexpr int kRows = 2;
#endif

// Rows of `a` times a panel of k rows of four registers each.
template <int M, typename Use>
C10_ALWAYS_INLINE void tile(int64_t k, const float* a, int64_t lda, const float* panel,
                            const Use& use) {
  V sum[M][4];
#pragma GCC unroll 6
  for (int m = 0; m < M; ++m) {
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) sum[m][g] = V(0.0f);
  }
  for (int64_t p = 0; p < k; ++p) {
    V b[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) b[g] = V::load(panel + (4 * p + g) * W);
#pragma GCC unroll 6
    for (int m = 0; m < M; ++m) {
      const V x(a[m * lda + p]);
#pragma GCC unroll 4
      for (int g = 0; g < 4; ++g) sum[m][g] += x * b[g];
    }
  }
  for (int m = 0; m < M; ++m) use(m, sum[m]);
}

// Calls use(row, four sums) for each of the rows.
template <typename Use>
void panel_product(int64_t rows, int64_t k, const float* a, int64_t lda, const float* panel,
                   const Use& use) {
  int64_t r = 0;
  auto run = [&](auto count) {
    constexpr int M = decltype(count)::value;
    for (; r + M <= rows; r += M) {
      tile<M>(k, a + r * lda, lda, panel, [&](int m, const V* sums) { use(r + m, sums); });
    }
  };
  run(std::integral_constant<int, kRows>());
  if constexpr (kRows > 4) run(std::integral_constant<int, 4>());
  run(std::integral_constant<int, 2>());
  run(std::integral_constant<int, 1>());
}

// Packs panels one after the other; element(panel, p, g, lane) is the element at row p, register g;
// missing ones are 0.
template <typename Element>
std::vector<float> pack(int64_t panels, int64_t k, const Element& element) {
  std::vector<float> packed(panels * k * 4 * W);
  parallel_for(0, panels, std::max<int64_t>(1, kGrain * 4 / (k * 4 * W)),
               [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      float* to = packed.data() + b * k * 4 * W;
      for (int64_t g = 0; g < 4; ++g) {
        for (int64_t lane = 0; lane < W; ++lane) {
          for (int64_t p = 0; p < k; ++p) to[(4 * p + g) * W + lane] = element(b, p, g, lane);
        }
      }
    }
  });
  return packed;
}

int64_t rows_for_a_thread(int64_t batch) {
  int64_t each = divup(batch, get_num_threads());
  return std::max<int64_t>(1, each);
}

// --- all steps ----------------------------------------------------------------------------------

}  // namespace

static void lstm_steps_kernel(const LstmSteps& s) {
  const int64_t H = s.hidden, blocks = divup(H, W), cell_size = s.batch * H;
  // A panel holds the four gates of W elements of the state.
  std::vector<float> packed = pack(blocks, H, [&](int64_t b, int64_t p, int64_t g, int64_t lane) {
    int64_t j = b * W + lane;
    return j < H ? s.w_hh[(g * H + j) * H + p] : 0.0f;
  });
  parallel_for(0, s.batch, rows_for_a_thread(s.batch), [&](int64_t begin, int64_t end) {
    const float *h = s.h0, *c = s.c0;
    for (int64_t k = 0; k < s.steps; ++k) {
      int64_t t = s.reverse ? s.steps - 1 - k : k;
      float *gates = s.gates + t * 4 * cell_size, *c_now = s.cells + t * cell_size,
            *h_now = s.output + t * cell_size;
      for (int64_t b = 0; b < blocks; ++b) {
        int64_t j = b * W, n = std::min(W, H - j);
        panel_product(end - begin, H, h + begin * H, H, packed.data() + b * H * 4 * W,
                      [&](int64_t row, const V* sums) {
          int64_t at = (begin + row) * H;
          cell({gates + 4 * at, s.bias, c + at, c_now + at, h_now + at}, H, j, n,
               [&](int g) { return sums[g]; });
        });
      }
      h = h_now;
      c = c_now;
    }
  });
}

static void lstm_steps_backward_kernel(const LstmSteps& s) {
  const int64_t H = s.hidden, panels = divup(H, 4 * W), cell_size = s.batch * H;
  std::vector<float> packed =
      pack(panels, 4 * H, [&](int64_t b, int64_t p, int64_t g, int64_t lane) {
    int64_t j = (4 * b + g) * W + lane;
    return j < H ? s.w_hh[p * H + j] : 0.0f;
  });
  parallel_for(0, s.batch, rows_for_a_thread(s.batch), [&](int64_t begin, int64_t end) {
    for (int64_t k = s.steps - 1; k >= 0; --k) {
      int64_t t = s.reverse ? s.steps - 1 - k : k, before = s.reverse ? t + 1 : t - 1;
      const float *gates = s.gates + t * 4 * cell_size, *c = s.cells + t * cell_size;
      const float* c_before = k == 0 ? s.c0 : s.cells + before * cell_size;
      float* d = s.dgates + t * 4 * cell_size;
      for (int64_t row = begin; row < end; ++row) {
        int64_t at = row * H;
        if (s.grad_output) {
          const float* g = s.grad_output + t * cell_size + at;
          for (int64_t j = 0; j < H; ++j) s.grad_h[at + j] += g[j];
        }
        cell_backward_row(H, gates + 4 * at, c_before + at, c + at, s.grad_h + at, s.grad_c + at,
                          d + 4 * at);
      }
      for (int64_t b = 0; b < panels; ++b) {
        panel_product(end - begin, 4 * H, d + begin * 4 * H, 4 * H, packed.data() + b * 16 * H * W,
                      [&](int64_t row, const V* sums) {
          float* to = s.grad_h + (begin + row) * H;
          for (int g = 0; g < 4; ++g) {
            int64_t j = (4 * b + g) * W;
            if (j < H) store(sums[g], to + j, std::min(W, H - j));
          }
        });
      }
    }
  });
}

namespace {

// --- single steps -------------------------------------------------------------------------------

}  // namespace

static void lstm_cell_kernel(int64_t batch, int64_t hidden, float* gates, const float* more,
                             const float* bias, const float* c_before, float* c, float* h) {
  parallel_for(0, batch, std::max<int64_t>(1, kGrain / hidden), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Row row{gates + b * 4 * hidden, bias, c_before + b * hidden, c + b * hidden, h + b * hidden};
      const float* m = more + b * 4 * hidden;
      pieces(hidden, [&](int64_t j, int64_t n) {
        cell(row, hidden, j, n, [&](int g) { return load(m + g * hidden + j, n); });
      });
    }
  });
}

static void lstm_cell_backward_kernel(int64_t batch, int64_t hidden, const float* gates,
                                      const float* c_before, const float* c, const float* dh,
                                      float* dc, float* dgates) {
  parallel_for(0, batch, std::max<int64_t>(1, kGrain / hidden), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t at = b * hidden;
      cell_backward_row(hidden, gates + 4 * at, c_before + at, c + at, dh + at, dc + at,
                        dgates + 4 * at);
    }
  });
}

REGISTER_DISPATCH(lstm_steps_stub, &lstm_steps_kernel)
REGISTER_DISPATCH(lstm_steps_backward_stub, &lstm_steps_backward_kernel)
REGISTER_DISPATCH(lstm_cell_stub, &lstm_cell_kernel)
REGISTER_DISPATCH(lstm_cell_backward_stub, &lstm_cell_backward_kernel)

}  // namespace at::native
