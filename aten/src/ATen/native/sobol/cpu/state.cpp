// The state of Sobol sequences: direction numbers from the table, scrambled by matrices, and steps
// ahead.

#include <ATen/native/sobol/sobol.h>
#include <ATen/ops/_sobol_engine_ff__native.h>
#include <ATen/ops/_sobol_engine_initialize_state__native.h>
#include <ATen/ops/_sobol_engine_scramble__native.h>

#include <array>

// What tools/setup_helpers/sobol_directions.py wrote during the build; it describes the format.
asm(".pushsection .rodata\n"
    ".local sobol_direction_table\n"
    "sobol_direction_table:\n"
    ".incbin \"" SOBOL_DIRECTIONS
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const unsigned char sobol_direction_table[];

namespace at::native {
namespace {

// Elements of a tensor of any strides.
template <size_t N>
int64_t& element(const Tensor& t, const int64_t (&index)[N]) {
  int64_t* data = static_cast<int64_t*>(t.data_ptr());
  for (size_t k = 0; k < N; ++k) data += index[k] * t.stride(static_cast<int64_t>(k));
  return *data;
}

class BitReader {
 public:
  int64_t read(int64_t count) {
    int64_t value = 0;
    for (; count > 0; --count, ++place_)
      value = value << 1 | (sobol_direction_table[place_ >> 3] >> (7 - (place_ & 7)) & 1);
    return value;
  }

 private:
  int64_t place_ = 0;
};

// How many primitive polynomials there are of degree 1, 2, ...: the totient of 2^d - 1, over d.
constexpr std::array<int64_t, 18> kNumPolynomials = {
    1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776};

using Directions = std::array<int64_t, kSobolBits>;

// Numbers m_1, m_2, ... by the recurrence of Bratley and Fox 1988, from the first `degree` of them.
void extend(Directions& m, size_t degree, int64_t polynomial) {
  for (size_t j = degree; j < m.size(); ++j) {
    m[j] = m[j - degree] ^ (m[j - degree] << degree);
    for (size_t k = 1; k < degree; ++k) {
      if (polynomial >> (degree - 1 - k) & 1) m[j] ^= m[j - k] << k;
    }
  }
}

void store(const Tensor& state, int64_t d, const Directions& m) {
  for (int64_t j = 0; j < kSobolBits; ++j)
    element(state, {d, j}) = m[static_cast<size_t>(j)] << (kSobolBits - 1 - j);
}

}  // namespace

static void initialize_state_kernel(Tensor& self, int64_t dimension) {
  BitReader bits;
  Directions m;
  m.fill(1);
  store(self, 0, m);
  size_t degree = 1;
  int64_t end = 1 + kNumPolynomials[0];
  for (int64_t d = 1; d < dimension; ++d) {
    if (d == end) end += kNumPolynomials[degree++];
    const int64_t polynomial = bits.read(static_cast<int64_t>(degree) - 1);
    for (size_t k = 0; k < degree; ++k) m[k] = bits.read(static_cast<int64_t>(k)) << 1 | 1;
    extend(m, degree, polynomial);
    store(self, d, m);
  }
}

// Multiplies each number, as bits from the highest on, by a matrix over the field of two elements.
// The diagonal counts as 1, so that the matrix is invertible.
static void scramble_kernel(Tensor& self, const Tensor& ltm, int64_t dimension) {
  for (int64_t d = 0; d < dimension; ++d) {
    std::array<uint64_t, kSobolBits> rows{};
    for (int64_t p = 0; p < kSobolBits; ++p) {
      for (int64_t k = 0; k < kSobolBits; ++k) {
        const int64_t entry = k == p ? 1 : element(ltm, {d, p, k});
        rows[static_cast<size_t>(p)] += static_cast<uint64_t>(entry) << (kSobolBits - 1 - k);
      }
    }
    for (int64_t j = 0; j < kSobolBits; ++j) {
      int64_t& value = element(self, {d, j});
      int64_t scrambled = 0;
      for (uint64_t row : rows)
        scrambled = scrambled << 1 | __builtin_parityll(row & static_cast<uint64_t>(value));
      value = scrambled;
    }
  }
}

// The bits of the Gray code that differ after n steps.
static void ff_kernel(Tensor& self, int64_t n, const Tensor& sobolstate, int64_t dimension,
                      int64_t num_generated) {
  const auto gray = [](int64_t v) { return v ^ v >> 1; };
  const int64_t changed = gray(num_generated) ^ gray(num_generated + n);
  for (int64_t d = 0; d < dimension; ++d) {
    int64_t value = element(self, {d});
    for (int64_t j = 0; j < kSobolBits; ++j) {
      if (changed >> j & 1) value ^= element(sobolstate, {d, j});
    }
    element(self, {d}) = value;
  }
}

REGISTER_ALL_CPU_DISPATCH(_sobol_engine_initialize_state__stub, &initialize_state_kernel)
REGISTER_ALL_CPU_DISPATCH(_sobol_engine_scramble__stub, &scramble_kernel)
REGISTER_ALL_CPU_DISPATCH(_sobol_engine_ff__stub, &ff_kernel)

}  // namespace at::native
