// Running sums, products and extremes.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/TensorBase.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/Elementwise.h>
#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/ByDoubles.h>
#include <ATen/native/scan/scan.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

constexpr int64_t kColumns = 512;
// The number of elements converted at once.
constexpr int64_t kPiece = 1024;
// Rows with fewer columns than this are converted several at once.
constexpr int64_t kNarrow = 64;

// Input and output of a scan. Lines of the output are dense; those of the input have `steps`.
struct Sides {
  ScalarType from;
  const void* in;
  ScalarType to;
  void* out;
  int64_t n;  // elements of a line
  LineSteps steps;
  bool is_dense() const { return steps.step == 1 && steps.line_step == n; }
};

// Runs of stored elements in the compute type: the memory itself, or a buffer.
template <typename T>
class Reader {
 public:
  Reader(const Sides& s, int64_t max)
      : from_(s.from),
        through_(s.to),
        base_(static_cast<const char*>(s.in)),
        steps_(s.steps),
        item_(static_cast<int64_t>(c10::elementSize(s.from))),
        two_steps_(s.from != s.to && s.to != kHere) {
    if (from_ != kHere || two_steps_) buffer_.reset(new T[max]);
    if (two_steps_) between_.reset(new char[max * c10::elementSize(through_)]);
    if (steps_.step != 1) gathered_.reset(new char[max * item_]);
  }
  bool direct() const { return !buffer_ && !gathered_; }
  // Elements of a dense tensor.
  const T* operator()(int64_t at, int64_t n) { return computed(base_ + at * item_, n); }
  // Elements i to i + n of a line.
  const T* line(int64_t line, int64_t i, int64_t n) {
    const char* p = base_ + (line * steps_.line_step + i * steps_.step) * item_;
    if (!gathered_) return computed(p, n);
    gather_elements(gathered_.get(), p, static_cast<size_t>(item_), steps_.step * item_, 0, n, 1);
    return computed(gathered_.get(), n);
  }

 private:
  const T* computed(const char* p, int64_t n) {
    if (!buffer_) return reinterpret_cast<const T*>(p);
    if (two_steps_) {
      convert_elements(from_, p, through_, between_.get(), n);
      p = between_.get();
    }
    convert_elements(two_steps_ ? through_ : from_, p, kHere, buffer_.get(), n);
    return buffer_.get();
  }

  static constexpr ScalarType kHere = c10::CppTypeToScalarType<T>::value;
  ScalarType from_, through_;
  const char* base_;
  LineSteps steps_;
  int64_t item_;
  bool two_steps_;
  std::unique_ptr<T[]> buffer_;
  std::unique_ptr<char[]> between_, gathered_;
};

// Where runs of results are computed: the output's memory, or a buffer that write() converts from.
template <typename T>
class Writer {
 public:
  Writer(ScalarType to, int64_t max) : to_(to), item_(static_cast<int64_t>(c10::elementSize(to))) {
    if (to != kHere) buffer_.reset(new T[max]);
  }
  bool direct() const { return !buffer_; }
  T* target(void* base, int64_t at) {
    char* p = static_cast<char*>(base) + at * item_;
    return direct() ? reinterpret_cast<T*>(p) : buffer_.get();
  }
  void write(void* base, int64_t at, int64_t n) {
    if (!direct())
      convert_elements(kHere, buffer_.get(), to_, static_cast<char*>(base) + at * item_, n);
  }

 private:
  static constexpr ScalarType kHere = c10::CppTypeToScalarType<T>::value;
  ScalarType to_;
  int64_t item_;
  std::unique_ptr<T[]> buffer_;
};

// The type of the running value: double for float.
template <typename T>
using Running = std::conditional_t<
    std::is_same_v<T, float>, double,
    std::conditional_t<std::is_same_v<T, c10::complex<float>>, c10::complex<double>, T>>;

template <typename T>
struct SumOf {
  using A = Running<T>;
  static A start() { return A(0); }
  static A join(A a, A b) { return a + b; }
};
template <typename T>
struct ProductOf {
  using A = Running<T>;
  static A start() { return A(1); }
  static A join(A a, A b) { return a * b; }
};
template <typename T>
struct LogSumExpOf {
  using A = double;
  static A start() { return -INFINITY; }
  static A join(A a, A b) {
    double larger = a != a || a > b ? a : b, smaller = a != a || a > b ? b : a;
    if (larger != smaller || std::isfinite(larger))
      return larger + std::log1p(std::exp(smaller - larger));
    return a;
  }
};
// The angle continues from that of the larger term: it is not reduced to (-pi, pi].
template <typename T>
struct LogSumExpOf<c10::complex<T>> {
  using A = c10::complex<double>;
  static A start() { return A(-INFINITY, 0); }
  static A join(A a, A b) {
    if (c10::isnan(a) || c10::isnan(b)) return A(NAN, NAN);
    A larger = a.real() < b.real() ? b : a, smaller = a.real() < b.real() ? a : b;
    if (std::isinf(smaller.real()) && (larger.real() != smaller.real() || larger == smaller))
      return larger;
    return larger + c10::log1p(c10::exp(smaller - larger));
  }
};

// Products of floats in double: those of four neither overflow nor lose digits that a float has.
template <typename T, typename Op>
constexpr bool kJoinsInFours =
    std::is_same_v<Op, ProductOf<T>> && !std::is_same_v<T, typename Op::A>;

// Running values of a block in place; returns the last one. Of four values that are joined first,
// only one waits for those before it.
template <typename T, typename Op, typename A>
A scan_block(A* block, int64_t count, A acc) {
  int64_t j = 0;
  if constexpr (kJoinsInFours<T, Op>) {
    for (; j + 4 <= count; j += 4) {
      const A one = block[j], two = Op::join(one, block[j + 1]),
              three = Op::join(two, block[j + 2]),
              four = Op::join(two, Op::join(block[j + 2], block[j + 3]));
      block[j] = Op::join(acc, one);
      block[j + 1] = Op::join(acc, two);
      block[j + 2] = Op::join(acc, three);
      block[j + 3] = acc = Op::join(acc, four);
    }
  }
  for (; j < count; ++j) block[j] = acc = Op::join(acc, block[j]);
  return acc;
}

// One running value after another: each waits for the previous one. Conversions are done by blocks,
// since they would wait as well.
template <typename T, typename Op>
typename Op::A scan_serial(const T* in, T* out, int64_t n, typename Op::A acc) {
  using A = typename Op::A;
  if constexpr (std::is_same_v<T, A>) {
    for (int64_t i = 0; i < n; ++i) out[i] = acc = Op::join(acc, in[i]);
    return acc;
  }
  constexpr int64_t kBlock = 64;
  A block[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    for (int64_t j = 0; j < count; ++j) block[j] = A(in[i + j]);
    acc = scan_block<T, Op>(block, count, acc);
    for (int64_t j = 0; j < count; ++j) out[i + j] = T(block[j]);
  }
  return acc;
}

// Sums that are exact enough to be regrouped: doubles for float, and integers.
template <typename T, typename Op>
constexpr bool kRegroups = std::is_same_v<Op, SumOf<T>> && !std::is_same_v<T, double> &&
                           !std::is_same_v<T, c10::complex<double>>;

// Running sums of a register of numbers at a time: each gets those 1, 2, 4, ... places before it.
// Only one addition waits for the register before it. Complex numbers are pairs of lanes. Returns
// how many numbers there were in whole registers.
template <typename T, typename A>
int64_t sum_registers(const T* in, T* out, int64_t n, A& acc) {
  using Part = Real<A>;
  constexpr int kParts = sizeof(A) / sizeof(Part), kLanes = kVecBytes / 8,
                kNumbers = kLanes / kParts;
  static_assert(sizeof(Part) == 8);
  typedef Part Sums __attribute__((vector_size(kVecBytes)));
  typedef Real<T> Stored __attribute__((vector_size(kLanes * sizeof(Real<T>))));
  typedef int64_t Places __attribute__((vector_size(kVecBytes)));
  const Sums zero{};
  Sums before;
  Places last;
  for (int k = 0; k < kLanes; ++k) {
    std::memcpy(reinterpret_cast<char*>(&before) + 8 * k,
                reinterpret_cast<const char*>(&acc) + 8 * (k % kParts), 8);
    last[k] = kLanes - kParts + k % kParts;
  }
  int64_t i = 0;
  for (; i + kNumbers <= n; i += kNumbers) {
    Stored stored;
    Sums v;
    if constexpr (std::is_same_v<Real<T>, float>) {
      v = load_doubles(reinterpret_cast<const float*>(in + i)).v;
    } else {
      std::memcpy(&v, in + i, sizeof v);
    }
    const auto add_before = [&](Places from) { v += __builtin_shuffle(zero, v, from); };
#if defined(CPU_CAPABILITY_AVX512)
    if constexpr (kParts == 1) add_before(Places{0, 8, 9, 10, 11, 12, 13, 14});
    add_before(Places{0, 0, 8, 9, 10, 11, 12, 13});
    add_before(Places{0, 0, 0, 0, 8, 9, 10, 11});
#elif defined(CPU_CAPABILITY_AVX2)
    if constexpr (kParts == 1) add_before(Places{0, 4, 5, 6});
    add_before(Places{0, 0, 4, 5});
#else
    if constexpr (kParts == 1) add_before(Places{0, 2});
#endif
    stored = __builtin_convertvector(v + before, Stored);
    before += __builtin_shuffle(v, last);
    std::memcpy(static_cast<void*>(out + i), &stored, sizeof stored);
  }
  std::memcpy(static_cast<void*>(&acc), &before, sizeof acc);
  return i;
}

// Whether running values of a line are computed in registers. These are faster than lines side by
// side, if there are several.
template <typename T, typename Op>
constexpr bool kInRegisters = kRegroups<T, Op>;

template <typename T, typename Op>
typename Op::A scan_line(const T* in, T* out, int64_t n, typename Op::A acc) {
  int64_t i = 0;
  if constexpr (kInRegisters<T, Op>) i = sum_registers(in, out, n, acc);
  return scan_serial<T, Op>(in + i, out + i, n - i, acc);
}

// Lines of n elements side by side: a running value waits for the previous one of its line only.
// More than four would be too many streams for the ways of a cache where n is a power of two.
constexpr int64_t kLines = 4;
template <typename T, typename Op>
void scan_lines(const T* in, T* out, int64_t lines, int64_t n) {
  using A = typename Op::A;
  const bool beside = !kInRegisters<T, Op> || n < 32;
  for (; beside && lines >= kLines; lines -= kLines, in += kLines * n, out += kLines * n) {
    A acc[kLines];
    for (int64_t k = 0; k < kLines; ++k) acc[k] = Op::start();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < kLines; ++k) {
        acc[k] = Op::join(acc[k], A(in[k * n + i]));
        out[k * n + i] = T(acc[k]);
      }
    }
  }
  for (; lines > 0; --lines, in += n, out += n) scan_line<T, Op>(in, out, n, Op::start());
}

// Lines that fit in a piece, as many of them at once as are converted together.
template <typename T, typename Op>
void scan_short_lines(const Sides& s, int64_t begin, int64_t end, int64_t n) {
  const int64_t limit = std::max(kLines, kPiece / n / kLines * kLines);
  Reader<T> read(s, limit * n);
  Writer<T> result(s.to, limit * n);
  for (int64_t first = begin; first < end; first += limit) {
    const int64_t lines = std::min(limit, end - first);
    scan_lines<T, Op>(read(first * n, lines * n), result.target(s.out, first * n), lines, n);
    result.write(s.out, first * n, lines * n);
  }
}

// Elements begin to end of a line, in pieces if they are converted.
template <typename T, typename Op>
void scan_run(const Sides& s, int64_t line, int64_t begin, int64_t end, typename Op::A acc) {
  Reader<T> read(s, std::min(end - begin, kPiece));
  Writer<T> result(s.to, std::min(end - begin, kPiece));
  const int64_t piece = read.direct() && result.direct() ? end - begin : kPiece;
  for (int64_t i = begin; i < end; i += piece) {
    const int64_t count = std::min(piece, end - i), at = line * s.n + i;
    acc = scan_line<T, Op>(read.line(line, i, count), result.target(s.out, at), count, acc);
    result.write(s.out, at, count);
  }
}

// Long lines side by side, so that running values wait for that of their line only.
template <int count, typename T, typename Op>
void scan_runs(const Sides& s, int64_t line) {
  using A = typename Op::A;
  const int64_t n = s.n, at = line * n;
  std::vector<Reader<T>> read;
  std::vector<Writer<T>> result;
  for (int k = 0; k < count; ++k) {
    read.emplace_back(s, kPiece);
    result.emplace_back(s.to, kPiece);
  }
  A acc[count];
  for (A& a : acc) a = Op::start();
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t piece = std::min(kPiece, n - i);
    const T* in[count];
    T* out[count];
    for (int k = 0; k < count; ++k) {
      in[k] = read[k].line(line + k, i, piece);
      out[k] = result[k].target(s.out, at + k * n + i);
    }
    // Values are converted by blocks, as conversions would wait as well.
    constexpr int64_t kBlock = std::is_same_v<T, A> ? 1 : 64;
    for (int64_t j = 0; j < piece; j += kBlock) {
      const int64_t size = std::min(kBlock, piece - j);
      A block[count][kBlock];
      for (int k = 0; k < count; ++k) {
        for (int64_t b = 0; b < size; ++b) block[k][b] = A(in[k][j + b]);
      }
      for (int64_t b = 0; b < size; ++b) {
        for (int k = 0; k < count; ++k) block[k][b] = acc[k] = Op::join(acc[k], block[k][b]);
      }
      for (int k = 0; k < count; ++k) {
        for (int64_t b = 0; b < size; ++b) out[k][j + b] = T(block[k][b]);
      }
    }
    for (int k = 0; k < count; ++k) result[k].write(s.out, at + k * n + i, piece);
  }
}

// Adjacent columns, row after row.
template <typename T, typename Op>
void scan_columns(const Sides& s, int64_t at, int64_t n, int64_t inner, int64_t width) {
  using A = typename Op::A;
  Reader<T> read(s, width);
  Writer<T> result(s.to, width);
  A acc[kColumns];
  for (int64_t j = 0; j < width; ++j) acc[j] = Op::start();
  for (int64_t i = 0; i < n; ++i, at += inner) {
    const T* in = read(at, width);
    T* out = result.target(s.out, at);
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      acc[j] = Op::join(acc[j], A(in[j]));
      out[j] = T(acc[j]);
    }
    result.write(s.out, at, width);
  }
}

// All columns of a block, where rows are so short that several are converted at once.
template <typename T, typename Op>
void scan_block(const Sides& s, int64_t at, int64_t n, int64_t width) {
  using A = typename Op::A;
  const int64_t limit = std::max<int64_t>(1, kPiece / width);
  Reader<T> read(s, limit * width);
  Writer<T> result(s.to, limit * width);
  A acc[kColumns];
  for (int64_t j = 0; j < width; ++j) acc[j] = Op::start();
  for (int64_t i = 0; i < n; i += limit, at += limit * width) {
    const int64_t rows = std::min(limit, n - i);
    const T* in = read(at, rows * width);
    T* out = result.target(s.out, at);
    const auto rows_of = [&](A* sums, int64_t w) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t j = 0; j < w; ++j) {
          sums[j] = Op::join(sums[j], A(in[r * w + j]));
          out[r * w + j] = T(sums[j]);
        }
      }
    };
    const bool few = with_constant<2, 4>(width, [&]<int w>(std::integral_constant<int, w>) {
      A sums[w];  // in registers
      std::copy_n(acc, w, sums);
      rows_of(sums, w);
      std::copy_n(sums, w, acc);
    });
    if (!few) rows_of(acc, width);
    result.write(s.out, at, rows * width);
  }
}

// A line too long for one thread: first the totals of its pieces, then the pieces, each starting
// from the total of those before it.
template <typename T, typename Op>
void scan_long_line(const Sides& s, int64_t line) {
  using A = typename Op::A;
  const int64_t n = s.n;
  int64_t pieces = get_num_threads(), each = divup(n, pieces);
  std::unique_ptr<A[]> start(new A[pieces + 1]);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    Reader<T> read(s, kPiece);
    for (int64_t k = begin; k < end; ++k) {
      A part[4] = {Op::start(), Op::start(), Op::start(), Op::start()};
      int64_t last = std::min(n, (k + 1) * each);
      for (int64_t i = k * each; i < last; i += kPiece) {
        int64_t count = std::min(kPiece, last - i);
        const T* in = read.line(line, i, count);
        for (int64_t j = 0; j < count; ++j) part[j & 3] = Op::join(part[j & 3], A(in[j]));
      }
      start[k + 1] = Op::join(Op::join(part[0], part[1]), Op::join(part[2], part[3]));
    }
  });
  start[0] = Op::start();
  for (int64_t k = 1; k <= pieces; ++k) start[k] = Op::join(start[k - 1], start[k]);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t first = k * each, last = std::min(n, (k + 1) * each);
      if (first < last) scan_run<T, Op>(s, line, first, last, start[k]);
    }
  });
}

template <typename T, typename Op>
void scan_all(const Sides& sides, Dense3 s) {
  if (s.inner == 1) {
    if (s.outer < get_num_threads() && s.n > 4 * kGrainSize && kRegroups<T, Op> &&
        !in_parallel_region()) {
      for (int64_t o = 0; o < s.outer; ++o) scan_long_line<T, Op>(sides, o);
      return;
    }
    parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / 4 / s.n),
                 [&](int64_t begin, int64_t end) {
      if (s.n <= kPiece && sides.is_dense() && end - begin >= kLines)
        return scan_short_lines<T, Op>(sides, begin, end, s.n);
      int64_t o = begin;
      if constexpr (!kInRegisters<T, Op> && !c10::is_complex_v<T>) {
        for (; o + 2 <= end; o += 2) scan_runs<2, T, Op>(sides, o);
      }
      for (; o < end; ++o) scan_run<T, Op>(sides, o, 0, s.n, Op::start());
    });
    return;
  }
  int64_t strips = divup(s.inner, kColumns);
  parallel_for(0, s.outer * strips,
               std::max<int64_t>(1, kGrainSize / (s.n * std::min(kColumns, s.inner))),
               [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      if (s.inner < kNarrow) {
        scan_block<T, Op>(sides, u * s.n * s.inner, s.n, s.inner);
        continue;
      }
      int64_t j = u % strips * kColumns, at = u / strips * s.n * s.inner + j;
      scan_columns<T, Op>(sides, at, s.n, s.inner, std::min(kColumns, s.inner - j));
    }
  });
}

// The extreme so far. NaN stays once encountered; of equal values the latest counts.
template <typename T, bool kMax>
struct Extreme {
  T best;
  int64_t index = 0;
  // No branch: which element is larger cannot be predicted.
  void take(T x, int64_t i) {
    const bool better = (x != x) | ((best == best) & (kMax ? x >= best : x <= best));
    best = better ? x : best;
    index = better ? i : index;
  }
};

// Elements of lines: those of a line are `step` apart, and the beginnings of lines `apart`.
template <typename T>
struct Lines {
  T* data;
  int64_t step, apart;
  T& at(int64_t i, int k) const { return data[i * step + k * apart]; }
};

// The places of a register's lanes that are 1, 2, 4, ... places before each lane, or the first.
constexpr int kIntLanes = kVecBytes / 4, kIntSteps = kIntLanes == 16 ? 4 : kIntLanes == 8 ? 3 : 2;
constexpr auto kLanesBefore = [] {
  std::array<std::array<int32_t, kIntLanes>, kIntSteps> lanes{};
  for (int s = 0; s < kIntSteps; ++s) {
    for (int k = 0; k < kIntLanes; ++k) lanes[s][k] = std::max(0, k - (1 << s));
  }
  return lanes;
}();

// Each number becomes the largest so far, in registers: each gets those 1, 2, 4, ... places before
// it.
template <int64_t n>
void running_max(int32_t (&x)[n]) {
  typedef int32_t Lanes __attribute__((vector_size(kVecBytes)));
  static_assert(n % kIntLanes == 0);
  Lanes before = Lanes{} - 1, from[kIntSteps];
  std::memcpy(from, kLanesBefore.data(), sizeof from);
  const Lanes last = Lanes{} + (kIntLanes - 1);
#pragma GCC unroll 8
  for (int64_t i = 0; i < n; i += kIntLanes) {
    Lanes v;
    std::memcpy(&v, x + i, sizeof v);
#pragma GCC unroll 4
    for (int s = 0; s < kIntSteps; ++s) {
      const Lanes earlier = __builtin_shuffle(v, from[s]);
      v = earlier > v ? earlier : v;
    }
    const Lanes largest = before > v ? before : v, end = __builtin_shuffle(v, last);
    before = before > end ? before : end;
    std::memcpy(x + i, &largest, sizeof largest);
  }
}

// `count` lines, each of which waits for itself only. In long lines the extreme seldom changes:
// where it stayed the same for a block, the next block is only compared with it, in registers.
// Elements that equal it change its index alone.
template <int count, typename T, bool kMax>
class ExtremeLines {
 public:
  explicit ExtremeLines(const Lines<const T>& in) {
    for (int k = 0; k < count; ++k) found_[k].best = in.at(0, k);
  }

  // Elements i to i + n of the lines, which begin at the operands' data.
  void run(const Lines<const T>& in, const Lines<T>& out, int64_t* indices, int64_t i, int64_t n) {
    const Lines<int64_t> places{indices, out.step, out.apart};
    for (int64_t j = 0; j < n; j += kBlock) block(in, out, places, i, j, std::min(kBlock, n - j));
  }

 private:
  static constexpr int64_t kBlock = 32;
  // What the elements of a block change: nothing, only indices, or the extreme.
  enum class Change { none, index, best };

  // A block of each line, in arrays of its own where the line is not dense.
  void block(const Lines<const T>& in, const Lines<T>& out, const Lines<int64_t>& places, int64_t i,
             int64_t j, int64_t n) {
    T from[count][kBlock], to[count][kBlock];
    int64_t to_places[count][kBlock];
    const T* x[count];
    T* y[count];
    int64_t* at[count];
    for (int k = 0; k < count; ++k) {
      x[k] = in.step == 1 ? &in.at(j, k) : from[k];
      y[k] = out.step == 1 ? &out.at(j, k) : to[k];
      at[k] = out.step == 1 ? &places.at(j, k) : to_places[k];
    }
    if (in.step != 1) {
      for (int64_t p = 0; p < n; ++p) {
        for (int k = 0; k < count; ++k) from[k][p] = in.at(j + p, k);
      }
    }
    Change change[count];
    bool is_same = true;
    for (int k = 0; k < count; ++k) {
      change[k] = is_steady_ && n == kBlock ? change_of(x[k], found_[k].best) : Change::best;
      is_same &= change[k] != Change::best;
    }
    if (is_same) {
      for (int k = 0; k < count; ++k) {
        // Copies of the members: what is written might be these, for all that the compiler knows.
        const Extreme<T, kMax> found = found_[k];
        std::fill_n(y[k], kBlock, found.best);
        if (change[k] == Change::none) std::fill_n(at[k], kBlock, found.index);
        else found_[k].index = move_index(x[k], at[k], i + j, found);
      }
    } else {
      const auto before = found_;
      for (int64_t p = 0; p < n; ++p) {
        for (int k = 0; k < count; ++k) {
          found_[k].take(x[k][p], i + j + p);
          y[k][p] = found_[k].best;
          at[k][p] = found_[k].index;
        }
      }
      is_steady_ = true;
      for (int k = 0; k < count; ++k) is_steady_ &= before[k].best == found_[k].best;
    }
    if (out.step != 1) {
      for (int64_t p = 0; p < n; ++p) {
        for (int k = 0; k < count; ++k) out.at(j + p, k) = to[k][p];
      }
      for (int64_t p = 0; p < n; ++p) {
        for (int k = 0; k < count; ++k) places.at(j + p, k) = to_places[k][p];
      }
    }
  }

  // Comparisons are as wide as the elements.
  static Change change_of(const T* x, T best) {
    using Mask = UnsignedOfSize<sizeof(T)>;
    Mask worse = 1, no_better = 1;
    for (int64_t p = 0; p < kBlock; ++p) {
      worse &= static_cast<Mask>(kMax ? x[p] < best : x[p] > best);
      no_better &= static_cast<Mask>(kMax ? x[p] <= best : x[p] >= best);
    }
    return worse != 0 ? Change::none : no_better != 0 ? Change::index : Change::best;
  }

  // The latest place so far of an element that equals the extreme. Returns the last one.
  static int64_t move_index(const T* x, int64_t* places, int64_t first,
                            const Extreme<T, kMax>& found) {
    int32_t latest[kBlock];
    for (int32_t p = 0; p < kBlock; ++p) latest[p] = x[p] == found.best ? p : -1;
    running_max(latest);
    const int64_t before = found.index;
    for (int64_t p = 0; p < kBlock; ++p) places[p] = latest[p] < 0 ? before : first + latest[p];
    return places[kBlock - 1];
  }

  std::array<Extreme<T, kMax>, count> found_;
  bool is_steady_ = false;  // no extreme changed in the last block
};

// Adjacent columns, row after row.
template <typename T, bool kMax>
void extreme_columns(const T* in, T* out, int64_t* indices, int64_t n, int64_t inner,
                     int64_t width) {
  T best[kColumns];
  int64_t index[kColumns];
  std::copy_n(in, width, best);
  std::fill_n(index, width, 0);
  for (int64_t i = 0; i < n; ++i, in += inner, out += inner, indices += inner) {
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      Extreme<T, kMax> found{best[j], index[j]};
      found.take(in[j], i);
      out[j] = best[j] = found.best;
      indices[j] = index[j] = found.index;
    }
  }
}

// Lines in pieces: those of a half type as floats, and those that are not dense.
template <typename T, bool kMax>
void extremes_by_pieces(const Sides& sides, int64_t* index_data, Dense3 s) {
  parallel_for(0, s.outer, std::max<int64_t>(1, kGrainSize / s.n), [&](int64_t begin, int64_t end) {
    Reader<T> read(sides, kPiece);
    Writer<T> result(sides.to, kPiece);
    for (int64_t u = begin; u < end; ++u) {
      std::optional<ExtremeLines<1, T, kMax>> line;
      for (int64_t i = 0; i < s.n; i += kPiece) {
        const int64_t n = std::min(kPiece, s.n - i), at = u * s.n + i;
        const Lines<const T> from{read.line(u, i, n), 1, 0};
        if (!line) line.emplace(from);
        line->run(from, {result.target(sides.out, at), 1, 0}, index_data + at, i, n);
        result.write(sides.out, at, n);
      }
    }
  });
}

template <typename T, bool kMax>
void scan_extremes(const Sides& sides, int64_t* index_data, Dense3 s) {
  const LineSteps steps = sides.steps;
  if (steps.step != 1) return extremes_by_pieces<T, kMax>(sides, index_data, s);
  const T* in = static_cast<const T*>(sides.in);
  T* out = static_cast<T*>(sides.out);
  constexpr int64_t kFewColumns = 16;
  parallel_for(0, s.outer * s.inner, std::max<int64_t>(1, kGrainSize / s.n),
               [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end;) {
      const int64_t o = u / s.inner, j = u % s.inner, at = o * s.n * s.inner + j;
      // Columns beside each other, or lines one after the other.
      const bool is_line = s.inner == 1;
      const int64_t beside = is_line ? end - u : std::min(end - u, s.inner - j);
      const auto run_some = [&]<int count>(std::integral_constant<int, count>) {
        const Lines<const T> from =
            is_line ? Lines<const T>{in + u * steps.line_step, steps.step, steps.line_step}
                    : Lines<const T>{in + at, s.inner, 1};
        ExtremeLines<count, T, kMax>(from).run(from, {out + at, s.inner, is_line ? s.n : 1},
                                               index_data + at, 0, s.n);
        u += count;
      };
      if (const int64_t width = std::min(beside, kColumns); width >= kFewColumns && !is_line) {
        extreme_columns<T, kMax>(in + at, out + at, index_data + at, s.n, s.inner, width);
        u += width;
      } else if (beside >= kLines) {
        run_some(std::integral_constant<int, kLines>());
      } else {
        run_some(std::integral_constant<int, 1>());
      }
    }
  });
}

// The compute type for results of a type. Integers wrap, as unsigned numbers do.
ScalarType computed_in(ScalarType to) {
  if (isIntegralType(to, true)) return kUInt64;
  if (isReducedFloatingType(to)) return kFloat;
  return to == kComplexHalf ? kComplexFloat : to;
}

template <template <typename> class Op>
void scan_numbers(const Sides& sides, const char* op, Dense3 shape) {
  // 64-bit integers need no conversion.
  Sides s = sides;
  if (s.to == kLong && isIntegralType(s.from, true)) s.to = kUInt64;
  if (s.from == kLong && s.to == kUInt64) s.from = kUInt64;
  dispatch_types<FloatingTypes, ComplexTypes, uint64_t>(
      computed_in(s.to), op, [&]<typename T>(TypeTag<T>) { scan_all<T, Op<T>>(s, shape); });
}

template <bool kMax>
void scan_order(const Sides& s, int64_t* index_data, Dense3 shape) {
  if (isReducedFloatingType(s.to)) return extremes_by_pieces<float, kMax>(s, index_data, shape);
  dispatch_types<FloatingTypes, IntegralTypes>(
      s.to == kBool ? kByte : s.to, kMax ? "cummax_cpu" : "cummin_cpu",
      [&]<typename T>(TypeTag<T>) { scan_extremes<T, kMax>(s, index_data, shape); });
}

}  // namespace

static void scan_kernel(ScanKind kind, const Tensor& self, const Tensor& result,
                        const Tensor& indices, int64_t dim) {
  auto* index_data = indices.defined() ? static_cast<int64_t*>(indices.data_ptr()) : nullptr;
  const ScalarType to = result.scalar_type();
  const Dense3 shape = dense_shape(self, dim);
  Sides sides{self.scalar_type(), self.data_ptr(), to, result.data_ptr(), shape.n, {1, shape.n}};
  if (!self.is_contiguous()) sides.steps = line_steps(self, dim).value();
  switch (kind) {
    case ScanKind::sum:
      return scan_numbers<SumOf>(sides, "cumsum_out_cpu", shape);
    case ScanKind::prod:
      return scan_numbers<ProductOf>(sides, "cumprod_out_cpu", shape);
    case ScanKind::max:
      return scan_order<true>(sides, index_data, shape);
    case ScanKind::min:
      return scan_order<false>(sides, index_data, shape);
    case ScanKind::logsumexp:
      dispatch_types<FloatingTypes, ComplexTypes>(
          computed_in(to), "logcumsumexp_out_cpu",
          [&]<typename T>(TypeTag<T>) { scan_all<T, LogSumExpOf<T>>(sides, shape); });
  }
}

REGISTER_DISPATCH(scan_stub, &scan_kernel)

}  // namespace at::native
