// Runs elementwise loops: converts, transposes and broadcasts operands in pieces that stay in the
// cache.

#include <ATen/native/common/Elementwise.h>

#include <cstring>

#include <ATen/native/common/Convert.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/TransposeStub.h>

namespace at::native {
namespace {

template <typename T>
void gather_as(char* to, const char* src, int64_t s0, int64_t s1, int64_t n0, int64_t n1) {
  T* dense = reinterpret_cast<T*>(to);
  for (int64_t j = 0; j < n1; ++j, src += s1, dense += n0) {
    if (s0 == static_cast<int64_t>(sizeof(T))) {
      std::memcpy(dense, src, n0 * sizeof(T));
    } else if (s0 == 0) {
      T value;
      std::memcpy(&value, src, sizeof(T));
      for (int64_t i = 0; i < n0; ++i) dense[i] = value;
    } else {
      for (int64_t i = 0; i < n0; ++i) std::memcpy(dense + i, src + i * s0, sizeof(T));
    }
  }
}

template <typename T>
void scatter_as(const char* from, char* dst, int64_t s0, int64_t s1, int64_t n0, int64_t n1) {
  const T* dense = reinterpret_cast<const T*>(from);
  for (int64_t j = 0; j < n1; ++j, dst += s1, dense += n0) {
    if (s0 == static_cast<int64_t>(sizeof(T))) {
      std::memcpy(dst, dense, n0 * sizeof(T));
    } else {
      for (int64_t i = 0; i < n0; ++i) std::memcpy(dst + i * s0, dense + i, sizeof(T));
    }
  }
}

constexpr int kMaxOperands = 8;
constexpr int64_t kBufferBytes = 4096;  // also the size of a tile: 16 rows of 64 floats
// Rows shorter than this are processed together.
constexpr int64_t kShortRow = 64;

struct Operand {
  ScalarType stored, computed;
  int64_t item;           // bytes of an element as stored
  int64_t computed_item;  // bytes of an element as computed
  bool same;
};

class Walker {
 public:
  Walker(TensorIteratorBase& iter, const ScalarType* types, ContiguousLoop loop)
      : count_(iter.ntensors()), outputs_(iter.noutputs()), loop_(loop) {
    TORCH_INTERNAL_ASSERT(count_ <= kMaxOperands);
    int64_t widest = 1;
    for (int k = 0; k < count_; ++k) {
      Operand& o = operands_[k];
      o.stored = iter.dtype(k);
      o.computed = types[k];
      o.item = static_cast<int64_t>(elementSize(o.stored));
      o.computed_item = static_cast<int64_t>(elementSize(o.computed));
      o.same = o.stored == o.computed;
      widest = std::max({widest, o.item, o.computed_item});
    }
    piece_ = kBufferBytes / widest;
  }

  void operator()(char** data, const int64_t* strides, int64_t size0, int64_t size1) const {
    bool dense = true;
    for (int k = 0; k < count_; ++k) dense &= operands_[k].same && strides[k] == operands_[k].item;
    if (dense) {
      char* p[kMaxOperands];
      for (int64_t j = 0; j < size1; ++j) {
        for (int k = 0; k < count_; ++k) p[k] = data[k] + j * strides[count_ + k];
        loop_(p, size0);
      }
      return;
    }
    if (!tiles(data, strides, size0, size1)) pieces(data, strides, size0, size1);
  }

 private:
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
      transposed[k] = !dense && k >= outputs_ && strides[count_ + k] == o.item;
      if (!o.same || !(dense || transposed[k] || constant[k])) return false;
      any |= transposed[k];
    }
    if (!any) return false;
    alignas(64) char buffers[kMaxOperands][kBufferBytes];
    const int64_t columns = std::min(piece_ / kRows, size0);
    for (int k = 0; k < count_; ++k) {
      if (constant[k]) gather_elements(buffers[k], data[k], operands_[k].item, 0, 0, columns, 1);
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
          loop_(p, n0);
        }
      }
    }
    return true;
  }

  void pieces(char** data, const int64_t* strides, int64_t size0, int64_t size1) const {
    alignas(64) char buffers[kMaxOperands][kBufferBytes];
    alignas(64) char raw[kBufferBytes];
    bool rows_together = size1 > 1 && size0 < kShortRow && size0 <= piece_;
    int64_t rows = rows_together ? piece_ / size0 : 1;
    int64_t columns = std::min(size0, piece_);
    bool constant[kMaxOperands], direct[kMaxOperands];
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
        int64_t n0 = std::min(columns, size0 - i);
        for (int k = 0; k < count_; ++k) {
          char* at = data[k] + j * strides[count_ + k] + i * strides[k];
          p[k] = direct[k] ? at : buffers[k];
          if (k < outputs_ || direct[k] || constant[k]) continue;
          // A value that is constant along each row stays in the buffer for the whole row.
          if (strides[k] == 0 && n1 == 1 && i > 0) continue;
          fetch(operands_[k], at, strides[k], strides[count_ + k], n0, n1, buffers[k], raw);
        }
        loop_(p, n0 * n1);
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
      gather_elements(buffer, src, o.item, s0, s1, n0, n1);
    } else if (s0 == o.item && n1 == 1) {
      convert_elements(o.stored, src, o.computed, buffer, n0);
    } else {
      gather_elements(raw, src, o.item, s0, s1, n0, n1);
      convert_elements(o.stored, raw, o.computed, buffer, n0 * n1);
    }
  }
  static void store(const Operand& o, char* dst, int64_t s0, int64_t s1, int64_t n0, int64_t n1,
                    char* buffer, char* raw) {
    if (o.same) {
      scatter_elements(buffer, dst, o.item, s0, s1, n0, n1);
    } else if (s0 == o.item && (n1 == 1 || s1 == n0 * o.item)) {
      convert_elements(o.computed, buffer, o.stored, dst, n0 * n1);
    } else {
      convert_elements(o.computed, buffer, o.stored, raw, n0 * n1);
      scatter_elements(raw, dst, o.item, s0, s1, n0, n1);
    }
  }

  int count_, outputs_;
  int64_t piece_;
  ContiguousLoop loop_;
  Operand operands_[kMaxOperands];
};

}  // namespace

void gather_elements(char* dense, const char* src, size_t itemsize, int64_t s0, int64_t s1,
                     int64_t n0, int64_t n1) {
  by_size(itemsize, [&](auto tag) { gather_as<decltype(tag)>(dense, src, s0, s1, n0, n1); });
}

void scatter_elements(const char* dense, char* dst, size_t itemsize, int64_t s0, int64_t s1,
                      int64_t n0, int64_t n1) {
  by_size(itemsize, [&](auto tag) { scatter_as<decltype(tag)>(dense, dst, s0, s1, n0, n1); });
}

void run_elementwise(TensorIteratorBase& iter, const ScalarType* types, ContiguousLoop loop,
                     int64_t grain) {
  Walker walker(iter, types, loop);
  iter.for_each(walker, grain);
}

}  // namespace at::native
