// Rows of a batch are independent: a thread takes some of them through all steps without waiting
// for others.

#include <ATen/Parallel.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/rnn/cpu/PackedWeights.h>
#include <ATen/native/rnn/rnn.h>

namespace at::native {
namespace {

using V = Vec<float>;
constexpr int64_t W = V::size;
constexpr int64_t kGrain = 2048;

V load(const float* p, int64_t n) { return n == W ? V::load(p) : V::load(p, n); }
void store(V x, float* p, int64_t n) { n == W ? x.store(p) : x.store(p, n); }

// f(first element, count) for pieces of elements [begin, end) of a row; the last piece may be
// shorter than a register.
template <typename F>
void pieces(int64_t begin, int64_t end, const F& f) {
  int64_t i = begin;
  for (; i + W <= end; i += W) f(i, W);
  if (i < end) f(i, end - i);
}

// --- one cell -----------------------------------------------------------------------------------

struct Row {
  float* gates;  // where the activations are kept, or null
  const float* c_before;
  float *c, *h;
};

// The logistic function without a branch. It does not fall below e^-80.
C10_ALWAYS_INLINE V opening(V x) { return V(1.0f) / one_plus_exp_of_minus(x); }

// U registers of a row, or part of one, which do not wait for each other; gate(k, first, count) are
// elements of gate k before the activation.
template <int U, typename Gate>
C10_ALWAYS_INLINE void cells(const Row& r, int64_t hidden, int64_t j, int64_t n, const Gate& gate) {
  V i[U], f[U], u[U], o[U], now[U];
#pragma GCC unroll 2
  for (int v = 0; v < U; ++v) {
    const int64_t at = j + v * W;
    i[v] = opening(gate(0, at, n));
    f[v] = opening(gate(1, at, n));
    u[v] = tanh(gate(2, at, n));
    o[v] = opening(gate(3, at, n));
    now[v] = f[v] * load(r.c_before + at, n) + i[v] * u[v];
  }
#pragma GCC unroll 2
  for (int v = 0; v < U; ++v) {
    const int64_t at = j + v * W;
    if (r.gates) {
      store(i[v], r.gates + at, n);
      store(f[v], r.gates + hidden + at, n);
      store(u[v], r.gates + 2 * hidden + at, n);
      store(o[v], r.gates + 3 * hidden + at, n);
    }
    store(now[v], r.c + at, n);
    store(o[v] * tanh(now[v]), r.h + at, n);
  }
}

// Elements [begin, end) of a row.
template <typename Gate>
C10_ALWAYS_INLINE void cell_row(const Row& r, int64_t hidden, int64_t begin, int64_t end,
                                const Gate& gate) {
  for (; begin + 2 * W <= end; begin += 2 * W) cells<2>(r, hidden, begin, W, gate);
  pieces(begin, end, [&](int64_t j, int64_t n) { cells<1>(r, hidden, j, n, gate); });
}

void cell_backward_row(int64_t hidden, const float* g, const float* c_before, const float* c,
                       const float* dh, float* dc, float* d) {
  pieces(0, hidden, [&](int64_t j, int64_t n) {
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

// --- all steps ----------------------------------------------------------------------------------

// f(first row, last row + 1) for rows that go through all steps together: those of one thread, as
// many as stay in a cache.
template <typename F>
void groups_of_rows(int64_t batch, const F& f) {
  constexpr int64_t kTogether = 72;
  const int64_t of_thread = std::max<int64_t>(1, divup(batch, get_num_threads()));
  parallel_for(0, batch, of_thread, [&](int64_t begin, int64_t end) {
    const int64_t together = divup(end - begin, divup(end - begin, kTogether));
    for (int64_t row = begin; row < end; row += together) f(row, std::min(end, row + together));
  });
}

// The weights' columns: for each 16 elements of the state their gates, one gate after the other.
constexpr int64_t kElements = PackedWeights::kBlockColumns, kGates = 4 * kElements;

PackedWeights packed_gates(const float* weights, int64_t k, int64_t hidden) {
  return PackedWeights(k, divup(hidden, kElements) * kGates,
                       [=](int64_t column, float* to, int64_t step) {
    const int64_t j = column / kGates * kElements, gate = column % kGates / kElements;
    pack_rows(weights, k, gate * hidden + j, std::min(kElements, hidden - j), to, step);
  });
}

}  // namespace

static void lstm_steps_kernel(const LstmSteps& s) {
  const int64_t H = s.hidden, cell_size = s.batch * H;
  const PackedWeights of_input = packed_gates(s.w_ih, s.input, H),
                      of_state = packed_gates(s.w_hh, H, H);
  groups_of_rows(s.batch, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    const Scratch<float> gates(rows * kGates);
    const float *h = s.h0, *c = s.c0;
    for (int64_t k = 0; k < s.steps; ++k) {
      int64_t t = s.reverse ? s.steps - 1 - k : k;
      const float* x = s.x + t * s.x_step + begin * s.x_row;
      float *kept = s.gates ? s.gates + t * 4 * cell_size : nullptr,
            *c_now = s.gates ? s.cells + t * cell_size : s.cells, *h_now = s.output + t * cell_size;
      // 16 elements of the state at a time: the gates of all rows stay in the first cache.
      for (int64_t j = 0, column = 0; j < H; j += kElements, column += kGates) {
        of_input.multiply(column, column + kGates, rows, x, s.x_row, false, gates.get(), kGates);
        of_state.multiply(column, column + kGates, rows, h + begin * H, H, s.input > 0, gates.get(),
                          kGates);
        for (int64_t row = 0; row < rows; ++row) {
          const int64_t at = (begin + row) * H;
          cell_row({kept ? kept + 4 * at : nullptr, c + at, c_now + at, h_now + at}, H, j,
                   std::min(H, j + kElements), [&](int64_t gate, int64_t e, int64_t n) {
            return load(gates.get() + row * kGates + gate * kElements + e - j, n) +
                   load(s.bias + gate * H + e, n);
          });
        }
      }
      h = h_now;
      c = c_now;
    }
  });
}

static void lstm_steps_backward_kernel(const LstmSteps& s) {
  const int64_t H = s.hidden, cell_size = s.batch * H;
  const PackedWeights weights(4 * H, H, [&](int64_t column, float* to, int64_t step) {
    const int64_t count = std::min(kElements, H - column);
    for (int64_t k = 0; k < 4 * H; ++k) {
      std::copy_n(s.w_hh + k * H + column, count, to + k * step);
      std::fill(to + k * step + count, to + k * step + kElements, 0.0f);
    }
  });
  groups_of_rows(s.batch, [&](int64_t begin, int64_t end) {
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
      weights.multiply(0, H, end - begin, d + begin * 4 * H, 4 * H, false, s.grad_h + begin * H, H);
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
      float* g = gates + b * 4 * hidden;
      const float* m = more + b * 4 * hidden;
      Row row{g, c_before + b * hidden, c + b * hidden, h + b * hidden};
      cell_row(row, hidden, 0, hidden, [&](int64_t gate, int64_t j, int64_t n) {
        const int64_t at = gate * hidden + j;
        return load(g + at, n) + load(bias + at, n) + load(m + at, n);
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
