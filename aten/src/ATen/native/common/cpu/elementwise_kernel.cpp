// Runs elementwise loops: converts, transposes and broadcasts operands in pieces that stay in the
// cache.

#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/Elementwise.h>

#include <algorithm>
#include <cstring>

#include <ATen/native/common/Blocks.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Interleaved.h>
#include <ATen/native/common/cpu/StreamedStores.h>

namespace at::native {
namespace {

// Registers full of the value; the last one overlaps the one before it.
template <typename T>
void fill_run(T* to, T value, int64_t n) {
  if constexpr (sizeof(T) <= 8) {
    constexpr int64_t kLanes = kVecBytes / sizeof(T);
    typedef T Register __attribute__((vector_size(kVecBytes)));
    if (n >= kLanes) {
      const Register all = Register{} + value;
      int64_t i = 0;
      for (; i + kLanes <= n; i += kLanes) std::memcpy(to + i, &all, kVecBytes);
      std::memcpy(to + n - kLanes, &all, kVecBytes);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) to[i] = value;
}

// Rows of n0 equal elements, as a few registers each, of which the last two overlap; false for rows
// of other lengths.
template <typename T>
bool repeats_in_registers(T* to, const char* src, int64_t step, int64_t n0, int64_t n1) {
  if constexpr (sizeof(T) > 8) {
    return false;
  } else {
    constexpr int64_t kLanes = kVecBytes / sizeof(T);
    typedef T Register __attribute__((vector_size(kVecBytes)));
    if (n0 < kLanes || n1 < 2) return false;
    return with_constant<1, 4>((n0 + kLanes - 1) / kLanes,
                               [&]<int N>(std::integral_constant<int, N>) {
      for (int64_t j = 0; j < n1; ++j, to += n0) {
        T value;
        std::memcpy(&value, src + j * step, sizeof(T));
        const Register all = Register{} + value;
        for (int k = 0; k < N - 1; ++k) std::memcpy(to + k * kLanes, &all, kVecBytes);
        std::memcpy(to + n0 - kLanes, &all, kVecBytes);
      }
    });
  }
}

// Calls of memcpy take longer than copies of fewer elements.
constexpr int64_t kShortCopy = 12;

// Elements of which each is the next but one to three, like the real parts of complex numbers.
template <typename T>
bool every_element_of(T* dense, const char* src, int64_t step, int64_t n) {
  constexpr int64_t S = sizeof(T);
  if constexpr (S <= 8) {
    // The last one is read alone: what is behind it may not exist.
    if (step % S == 0 && n > InterleavedVec<T>::size &&
        for_interleaved(step / S, [&]<int K>(std::integral_constant<int, K>) {
      split_rows<K, 1>(dense, 0, reinterpret_cast<const T*>(src), n - 1);
    })) {
      std::memcpy(dense + n - 1, src + (n - 1) * step, S);
      return true;
    }
  }
  return false;
}

template <typename T>
void gather_as(char* to, const char* src, int64_t s0, int64_t s1, int64_t n0, int64_t n1) {
  T* dense = reinterpret_cast<T*>(to);
  // Adjacent elements, each a few times.
  if (s0 == 0 && s1 == static_cast<int64_t>(sizeof(T)) && n1 > 1 &&
      with_constant<2, 4>(n0, [&]<int N>(std::integral_constant<int, N>) {
    const T* x = reinterpret_cast<const T*>(src);
#pragma GCC ivdep
    for (int64_t j = 0; j < n1; ++j) {
      for (int k = 0; k < N; ++k) dense[j * N + k] = x[j];
    }
  }))
    return;
  if (s0 == 0 && repeats_in_registers(dense, src, s1, n0, n1)) return;
  for (int64_t j = 0; j < n1; ++j, src += s1, dense += n0) {
    if (s0 == static_cast<int64_t>(sizeof(T)) && n0 >= kShortCopy) {
      copy_bytes(dense, src, n0 * static_cast<int64_t>(sizeof(T)));
    } else if (s0 == 0) {
      T value;
      std::memcpy(&value, src, sizeof(T));
      fill_run(dense, value, n0);
    } else if (!every_element_of(dense, src, s0, n0)) {
      for (int64_t i = 0; i < n0; ++i) std::memcpy(dense + i, src + i * s0, sizeof(T));
    }
  }
}

template <typename T>
void scatter_as(const char* from, char* dst, int64_t s0, int64_t s1, int64_t n0, int64_t n1) {
  const T* dense = reinterpret_cast<const T*>(from);
  for (int64_t j = 0; j < n1; ++j, dst += s1, dense += n0) {
    if (s0 == static_cast<int64_t>(sizeof(T)) && n0 >= kShortCopy) {
      copy_bytes(dst, dense, n0 * static_cast<int64_t>(sizeof(T)));
    } else {
      for (int64_t i = 0; i < n0; ++i) std::memcpy(dst + i * s0, dense + i, sizeof(T));
    }
  }
}

void stream_bytes(char* to, const char* from, int64_t n) {
  for (int64_t i = 0; i < n; i += kVecBytes)
    stream(reinterpret_cast<Words*>(to + i), load_words(from + i));
}

// Repeats the first `row` bytes of a run until it has `bytes`. Copies are always of the beginning,
// which stays in the nearest cache: what was written last is leaving it.
void repeat_row(char* run, int64_t row, int64_t bytes) {
  constexpr int64_t kNear = 8192, kLine = 64;
  if (row > kNear / 2) {
    for (int64_t done = row; done < bytes; done += row)
      copy_bytes(run + done, run, std::min(row, bytes - done));
    return;
  }
  // Short rows are first repeated to a block, of which whole lines are copied.
  const int64_t near = std::min(kNear / row * row, bytes);
  int64_t done = row;
  for (int64_t n = 0; done < near; done += n) {
    n = std::min(done, near - done);
    copy_bytes(run + done, run, n);
  }
  const int64_t lines = (near - row) / kLine * kLine;
  const bool streamed = leaves_caches(bytes);
  while (done < bytes) {
    const int64_t to_line = -reinterpret_cast<uintptr_t>(run + done) % kLine;
    const int64_t n = std::min(to_line ? to_line : lines, bytes - done);
    if (streamed && n == lines) stream_bytes(run + done, run + done % row, n);
    else copy_bytes(run + done, run + done % row, n);
    done += n;
  }
  if (streamed) streams_end();
}

// Rows that are copied as a few registers each, without calls of memcpy.
bool is_short_run(int64_t n, int64_t rows, int64_t step, size_t itemsize) {
  const auto item = static_cast<int64_t>(itemsize);
  return rows > 1 && n > 1 && step == item && n * item <= kLongestShortRun;
}

void gather_run(char* dense, const char* src, size_t itemsize, int64_t s0, int64_t s1, int64_t n0,
                int64_t n1) {
  const int64_t item = static_cast<int64_t>(itemsize);
  if (n1 > 1 && s1 == 0) {
    gather_run(dense, src, itemsize, s0, 0, n0, 1);
    return repeat_row(dense, n0 * item, n0 * n1 * item);
  }
  if (is_short_run(n0, n1, s0, itemsize))
    return copy_runs({dense, n0 * item, src, s1, n1}, n0 * item);
  by_size(itemsize, [&](auto tag) { gather_as<decltype(tag)>(dense, src, s0, s1, n0, n1); });
}

void scatter_run(const char* dense, char* dst, size_t itemsize, int64_t s0, int64_t s1, int64_t n0,
                 int64_t n1) {
  if (const auto row = n0 * static_cast<int64_t>(itemsize); is_short_run(n0, n1, s0, itemsize))
    return copy_runs({dst, s1, dense, row, n1}, row);
  by_size(itemsize, [&](auto tag) { scatter_as<decltype(tag)>(dense, dst, s0, s1, n0, n1); });
}

constexpr int kMaxOperands = 8;
constexpr int64_t kBufferBytes = 4096;  // also the size of a tile: 16 rows of 64 floats
// Rows shorter than this are processed together.
constexpr int64_t kShortRow = 64;
// Rows of fewer elements are processed together beside an operand that all rows share.
constexpr int64_t kShortSharedRow = 256;

struct Operand {
  ScalarType stored, computed;
  int64_t item;           // bytes of an element as stored
  int64_t computed_item;  // bytes of an element as computed
  bool same;
  // From the type that is stored to the computed one for inputs, and back for outputs, if one loop
  // does it.
  ConvertLoop conversion = nullptr;
};

void convert(ConvertLoop direct, ScalarType from, const void* src, ScalarType to, void* dst,
             int64_t n) {
  if (direct) direct(src, dst, n);
  else convert_elements(from, src, to, dst, n);
}

class Walker {
 public:
  Walker(TensorIteratorBase& iter, const ScalarType* types, const ElementwiseLoops& loops)
      : count_(iter.ntensors()), outputs_(iter.noutputs()), loops_(loops) {
    TORCH_INTERNAL_ASSERT(count_ <= kMaxOperands);
    int64_t widest = 1;
    for (int k = 0; k < count_; ++k) {
      Operand& o = operands_[k];
      o.stored = iter.dtype(k);
      o.computed = types[k];
      o.item = static_cast<int64_t>(elementSize(o.stored));
      o.computed_item = static_cast<int64_t>(elementSize(o.computed));
      o.same = o.stored == o.computed;
      if (!o.same) {
        o.conversion = k < outputs_ ? direct_conversion_stub.cpu()(o.computed, o.stored)
                                    : direct_conversion_stub.cpu()(o.stored, o.computed);
      }
      widest = std::max({widest, o.item, o.computed_item});
    }
    piece_ = kBufferBytes / widest;
  }

  void operator()(char** data, const int64_t* strides, int64_t size0, int64_t size1) const {
    if (size1 > 1 && rows_are_equal(strides, size0)) {
      // One row is computed, and the others are copied.
      (*this)(data, strides, size0, 1);
      for (int k = 0; k < outputs_; ++k) {
        const int64_t row = size0 * operands_[k].item;
        repeat_row(data[k], row, row * size1);
      }
      return;
    }
    if (elements_are_equal(strides, size0)) {
      for (int64_t j = 0; j < size1; ++j) {
        char* row[kMaxOperands];
        for (int k = 0; k < count_; ++k) row[k] = data[k] + j * strides[count_ + k];
        repeat_element(row, size0);
      }
      return;
    }
    bool dense = true;
    // The input that is the same for all elements of a row, if there is one.
    int constant = -1;
    for (int k = 0; k < count_; ++k) {
      if (k >= outputs_ && strides[k] == 0 && size0 > 1 && operands_[k].same && constant < 0)
        constant = k;
      else dense &= operands_[k].same && strides[k] == operands_[k].item;
    }
    const bool shared = rows_share(strides, size0, size1);
    const bool long_rows =
        size1 == 1 || (size0 * (kBufferBytes / piece_) >= loops_.short_row_bytes && !shared);
    if (dense && long_rows && (constant < 0 || loops_.constant)) {
      const int64_t* steps = strides + count_;
      if (constant < 0) loops_.contiguous(data, steps, size0, size1);
      else (*loops_.constant)(constant, data, steps, size0, size1);
      return;
    }
    if (!tiles(data, strides, size0, size1)) pieces(data, strides, size0, size1, shared);
  }

  // All blocks of Note [Blocks by table].
  void by_blocks(const Blocks& blocks, int64_t grain) const {
    std::vector<int32_t> places[kMaxOperands];
    bool plain[kMaxOperands];
    for (int k = 0; k < count_; ++k) {
      plain[k] = blocks.is_dense(k);
      if (!plain[k]) places[k] = blocks.places(k);
    }
    blocks.for_each(grain, [&](char* const* data, int64_t n) {
      alignas(64) char buffers[kMaxOperands][kBufferBytes], raw[kBufferBytes];
      char* p[kMaxOperands];
      for (int k = 0; k < count_; ++k) {
        const Operand& o = operands_[k];
        p[k] = o.same && plain[k] ? data[k] : buffers[k];
        if (k < outputs_ || p[k] == data[k]) continue;
        const char* from = data[k];
        if (!plain[k]) {
          char* to = o.same ? buffers[k] : raw;
          by_size(static_cast<size_t>(o.item), [&](auto tag) {
            gather_places(reinterpret_cast<decltype(tag)*>(to), from, places[k].data(), n);
          });
          from = to;
        }
        if (!o.same) convert(o.conversion, o.stored, from, o.computed, buffers[k], n);
      }
      run_row(p, n);
      for (int k = 0; k < outputs_; ++k) {
        const Operand& o = operands_[k];
        if (!o.same) convert(o.conversion, o.computed, p[k], o.stored, data[k], n);
      }
    });
  }

  int64_t piece() const { return piece_; }

 private:
  void run_row(char* const* data, int64_t n) const { loops_.contiguous(data, nullptr, n, 1); }

  // Whether an input is the same dense row for all rows, and all other operands are one run.
  bool rows_share(const int64_t* strides, int64_t size0, int64_t size1) const {
    if (size0 >= kShortSharedRow || 2 * size0 > piece_ || size1 < 4) return false;
    bool any = false;
    for (int k = 0; k < count_; ++k) {
      const Operand& o = operands_[k];
      const int64_t s1 = strides[count_ + k];
      const bool shared = k >= outputs_ && s1 == 0;
      if (!o.same || strides[k] != o.item || !(shared || s1 == size0 * o.item)) return false;
      any |= shared;
    }
    return any;
  }

  // Whether no input changes from row to row, and rows of the outputs follow each other.
  bool rows_are_equal(const int64_t* strides, int64_t size0) const {
    for (int k = 0; k < count_; ++k) {
      const int64_t s1 = strides[count_ + k];
      if (k >= outputs_ && s1 != 0) return false;
      if (k < outputs_ && (strides[k] != operands_[k].item || s1 != size0 * strides[k]))
        return false;
    }
    return outputs_ > 0 && count_ > outputs_;
  }

  // Whether no input changes along a row, and elements of the outputs follow each other.
  bool elements_are_equal(const int64_t* strides, int64_t size0) const {
    constexpr int64_t kWorthIt = 32;
    if (size0 < kWorthIt) return false;
    for (int k = 0; k < count_; ++k) {
      if (strides[k] != (k >= outputs_ ? 0 : operands_[k].item)) return false;
    }
    return outputs_ > 0 && count_ > outputs_;
  }

  // Computes one element of a row, and fills the row with it.
  void repeat_element(char* const* row, int64_t n) const {
    alignas(16) char values[kMaxOperands][16], stored[16];
    char* p[kMaxOperands];
    for (int k = 0; k < count_; ++k) {
      const Operand& o = operands_[k];
      p[k] = o.same ? row[k] : values[k];
      if (!o.same && k >= outputs_) convert(o.conversion, o.stored, row[k], o.computed, p[k], 1);
    }
    run_row(p, 1);
    for (int k = 0; k < outputs_; ++k) {
      const Operand& o = operands_[k];
      if (o.same) std::memcpy(stored, row[k], o.item);
      else convert(o.conversion, o.computed, p[k], o.stored, stored, 1);
      gather_run(row[k], stored, o.item, 0, 0, n, 1);
    }
  }

  // Inputs that are dense along the other dimension (x + x.t()): their tiles are transposed, so
  // that each cache line is read once. All other operands must be dense or constant.
  bool tiles(char** data, const int64_t* strides, int64_t size0, int64_t size1) const {
    constexpr int64_t kRows = 16;
    if (size0 < kRows || size1 < kRows) return false;
    bool transposed[kMaxOperands], constant[kMaxOperands], any = false;
    for (int k = 0; k < count_; ++k) {
      const Operand& o = operands_[k];
      bool dense = strides[k] == o.item;
      constant[k] = k >= outputs_ && strides[k] == 0 && strides[count_ + k] == 0;
      transposed[k] = !dense && k >= outputs_ && strides[k] != 0 && strides[count_ + k] == o.item;
      if (!o.same || !(dense || transposed[k] || constant[k])) return false;
      any |= transposed[k];
    }
    if (!any) return false;
    alignas(64) char buffers[kMaxOperands][kBufferBytes];
    const int64_t columns = std::min(piece_ / kRows, size0);
    for (int k = 0; k < count_; ++k) {
      if (constant[k]) gather_run(buffers[k], data[k], operands_[k].item, 0, 0, columns, 1);
    }
    char* p[kMaxOperands];
    for (int64_t j = 0; j < size1; j += kRows) {
      int64_t n1 = std::min(kRows, size1 - j);
      for (int64_t i = 0; i < size0; i += columns) {
        int64_t n0 = std::min(columns, size0 - i);
        for (int k = 0; k < count_; ++k) {
          if (!transposed[k]) continue;
          const char* from = data[k] + j * strides[count_ + k] + i * strides[k];
          transpose_copy_stub(kCPU, buffers[k], n0 * operands_[k].item, from, strides[k], n0, n1,
                              operands_[k].item);
        }
        for (int64_t r = 0; r < n1; ++r) {
          for (int k = 0; k < count_; ++k) {
            p[k] = transposed[k] ? buffers[k] + r * n0 * operands_[k].item
                   : constant[k] ? buffers[k]
                                 : data[k] + (j + r) * strides[count_ + k] + i * strides[k];
          }
          run_row(p, n0);
        }
      }
    }
    return true;
  }

  // shared: what rows_share() says.
  void pieces(char** data, const int64_t* strides, int64_t size0, int64_t size1,
              bool shared) const {
    alignas(64) char buffers[kMaxOperands][kBufferBytes];
    alignas(64) char raw[kBufferBytes];
    const bool rows_together = shared || (size1 > 1 && size0 < kShortRow && size0 <= piece_);
    int64_t rows = rows_together ? piece_ / size0 : 1;
    int64_t columns = std::min(size0, piece_);
    bool constant[kMaxOperands], direct[kMaxOperands];
    // The input for which a single element is used, by the loop for this.
    int single = -1;
    for (int k = outputs_; k < count_ && loops_.constant && !rows_together; ++k) {
      if (strides[k] != 0) continue;
      single = single == -1 ? k : -2;  // several: they are repeated in buffers
    }
    for (int k = 0; k < count_; ++k) {
      const Operand& o = operands_[k];
      int64_t s0 = strides[k], s1 = strides[count_ + k];
      constant[k] = k >= outputs_ && s0 == 0 && (s1 == 0 || size1 == 1);
      direct[k] = o.same && s0 == o.item && (!rows_together || s1 == size0 * o.item);
      if (constant[k])
        fetch(o, data[k], 0, 0, rows_together ? std::min(piece_, size0 * size1) : columns, 1,
              buffers[k], raw);
    }
    char* p[kMaxOperands];
    for (int64_t j = 0; j < size1; j += rows) {
      int64_t n1 = std::min(rows, size1 - j);
      for (int64_t i = 0; i < size0; i += columns) {
        const int64_t n0 = std::min(columns, size0 - i), n = n0 * n1;
        for (int k = 0; k < count_; ++k) {
          char* at = data[k] + j * strides[count_ + k] + i * strides[k];
          p[k] = direct[k] ? at : buffers[k];
          if (k < outputs_ || direct[k] || constant[k]) continue;
          // A value that is constant along each row stays in the buffer for the whole row.
          if (strides[k] == 0 && n1 == 1 && i > 0) continue;
          // One that all rows share stays for all of them.
          if (strides[count_ + k] == 0 && j > 0 && columns == size0) continue;
          if (k == single) fetch(operands_[k], at, 0, 0, 1, 1, buffers[k], raw);
          else fetch(operands_[k], at, strides[k], strides[count_ + k], n0, n1, buffers[k], raw);
        }
        if (single >= 0) (*loops_.constant)(single, p, nullptr, n, 1);
        else run_row(p, n);
        for (int k = 0; k < outputs_; ++k) {
          if (direct[k]) continue;
          char* at = data[k] + j * strides[count_ + k] + i * strides[k];
          store(operands_[k], at, strides[k], strides[count_ + k], n0, n1, buffers[k], raw);
        }
      }
    }
  }

  static void fetch(const Operand& o, const char* src, int64_t s0, int64_t s1, int64_t n0,
                    int64_t n1, char* buffer, char* raw) {
    if (o.same) {
      gather_run(buffer, src, o.item, s0, s1, n0, n1);
    } else if (s0 == o.item && n1 == 1) {
      convert(o.conversion, o.stored, src, o.computed, buffer, n0);
    } else if (s0 == 0 && n1 == 1) {
      convert(o.conversion, o.stored, src, o.computed, raw, 1);
      gather_run(buffer, raw, o.computed_item, 0, 0, n0, 1);
    } else {
      gather_run(raw, src, o.item, s0, s1, n0, n1);
      convert(o.conversion, o.stored, raw, o.computed, buffer, n0 * n1);
    }
  }
  static void store(const Operand& o, char* dst, int64_t s0, int64_t s1, int64_t n0, int64_t n1,
                    char* buffer, char* raw) {
    if (o.same) {
      scatter_run(buffer, dst, o.item, s0, s1, n0, n1);
    } else if (s0 == o.item && (n1 == 1 || s1 == n0 * o.item)) {
      convert(o.conversion, o.computed, buffer, o.stored, dst, n0 * n1);
    } else {
      convert(o.conversion, o.computed, buffer, o.stored, raw, n0 * n1);
      scatter_run(raw, dst, o.item, s0, s1, n0, n1);
    }
  }

  int count_, outputs_;
  int64_t piece_;
  ElementwiseLoops loops_;
  Operand operands_[kMaxOperands];
};

}  // namespace

static void elementwise_kernel(TensorIteratorBase& iter, const ScalarType* types,
                               const ElementwiseLoops& loops, int64_t grain) {
  Walker walker(iter, types, loops);
  if (const Blocks blocks(iter, walker.piece()); blocks.fit())
    return walker.by_blocks(blocks, grain);
  iter.for_each(walker, grain);
}

REGISTER_DISPATCH(gather_elements_stub, &gather_run)
REGISTER_DISPATCH(scatter_elements_stub, &scatter_run)
REGISTER_DISPATCH(elementwise_stub, &elementwise_kernel)

}  // namespace at::native
