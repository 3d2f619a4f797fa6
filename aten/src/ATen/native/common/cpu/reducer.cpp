// Runs a reduction on the CPU: which dimensions, in which order, and how it is divided among
// threads.

#include <algorithm>
#include <cstring>
#include <memory>

#include <ATen/native/common/Convert.h>
#include <ATen/native/common/Elementwise.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/TransposeStub.h>

namespace at::native {
namespace {

// Size in bytes of a piece of input that is converted or gathered at once, and of the accumulators
// of a run of outputs.
constexpr int64_t kBufferBytes = 16384;
constexpr int64_t kMaxColumns = 512;
// If the innermost reduced dimension is shorter than this, the loop runs across outputs instead.
constexpr int64_t kShortRow = 24;
// Reduced rows shorter than this are gathered.
constexpr int64_t kFewElements = 64;
// Smaller blocks of columns are not worth a transpose.
constexpr int64_t kSquare = 4;

struct Dim {
  int64_t size, in, out0, out1;  // strides in bytes
};

using Dims = SmallVector<Dim, 6>;

// Inner dimensions have small strides. One that repeats the others (stride 0) is the outermost: the
// elements that it repeats are then read in a row, and are in the cache.
bool is_inside(const Dim& a, const Dim& b) { return a.in != 0 && (b.in == 0 || a.in < b.in); }

int64_t product(const Dims& dims) {
  int64_t n = 1;
  for (const Dim& d : dims) n *= d.size;
  return n;
}

// Byte offsets of element `index` of these dimensions, the first of which varies fastest.
struct Offsets {
  int64_t in = 0, out0 = 0, out1 = 0;
};
Offsets offsets_of(const Dims& dims, int64_t index) {
  Offsets o;
  for (const Dim& d : dims) {
    int64_t k = index % d.size;
    index /= d.size;
    o.in += k * d.in;
    o.out0 += k * d.out0;
    o.out1 += k * d.out1;
  }
  return o;
}

// The offsets of one element after the other.
struct Place {
  Place(const Dims& dims, int64_t index) : dims(dims), at(offsets_of(dims, index)) {
    for (const Dim& d : dims) {
      place.push_back(index % d.size);
      index /= d.size;
    }
  }
  void next() {
    for (size_t k = 0; k < dims.size(); ++k) {
      const Dim& d = dims[k];
      const int64_t steps = ++place[k] < d.size ? 1 : 1 - d.size;
      at.in += steps * d.in;
      at.out0 += steps * d.out0;
      at.out1 += steps * d.out1;
      if (steps == 1) return;
      place[k] = 0;
    }
  }
  const Dims& dims;
  SmallVector<int64_t, 6> place;
  Offsets at;
};

void merge(Dims& dims) {
  std::sort(dims.begin(), dims.end(), is_inside);
  size_t last = 0;
  for (size_t k = 1; k < dims.size(); ++k) {
    Dim &a = dims[last], &b = dims[k];
    if (a.in * a.size == b.in && a.out0 * a.size == b.out0 && a.out1 * a.size == b.out1) {
      a.size *= b.size;
    } else {
      dims[++last] = b;
    }
  }
  if (!dims.empty()) dims.resize(last + 1);
}

class Reducer {
 public:
  Reducer(const ReduceOps& ops, const Tensor& self, uint64_t mask, bool keepdim, const Tensor& out0,
          const Tensor& out1)
      : ops_(ops),
        stored_(self.scalar_type()),
        item_(static_cast<int64_t>(self.itemsize())),
        computed_item_(static_cast<int64_t>(elementSize(ops.compute))),
        in_(static_cast<const char*>(self.data_ptr())) {
    if (stored_ == kHalf) {
      row_as_stored_ = ops_.row_of_half;
      columns_as_stored_ = ops_.columns_of_half;
    } else if (stored_ == kBFloat16) {
      row_as_stored_ = ops_.row_of_bfloat16;
      columns_as_stored_ = ops_.columns_of_bfloat16;
    }
    const Tensor* outs[2] = {&out0, &out1};
    for (int k = 0; k < 2; ++k) {
      Output& o = outputs_[k];
      o.used = outs[k]->defined() && ops.result[k] != ScalarType::Undefined;
      if (!o.used) continue;
      o.data = static_cast<char*>(outs[k]->data_ptr());
      o.stored = outs[k]->scalar_type();
      o.item = static_cast<int64_t>(elementSize(o.stored));
    }
    int64_t at = 0;
    // Strides that lead nowhere may be too large to count bytes with.
    const bool is_empty = self.numel() == 0;
    for (int64_t d = 0; d < self.dim(); ++d) {
      bool reduced = mask >> d & 1;
      const int64_t size = self.sizes()[d];
      Dim dim{size, is_empty || size == 1 ? 0 : self.strides()[d] * item_, 0, 0};
      if (!reduced) {
        if (outputs_[0].used) dim.out0 = out0.strides()[at] * outputs_[0].item;
        if (outputs_[1].used) dim.out1 = out1.strides()[at] * outputs_[1].item;
      }
      if (!reduced || keepdim) ++at;
      if (reduced) count_ *= dim.size;
      if (dim.size != 1) (reduced ? reduced_ : kept_).push_back(dim);
    }
    merge(reduced_);
    merge(kept_);
  }

  void run() {
    // Columns: outputs that are adjacent in the input, reduced side by side.
    bool kept_inside = !kept_.empty() && (reduced_.empty() || is_inside(kept_[0], reduced_[0]));
    bool short_rows =
        !kept_.empty() && !reduced_.empty() && reduced_[0].size < kShortRow && kept_[0].size >= 16;
    if (kept_inside || short_rows) {
      run_columns();
    } else {
      run_rows();
    }
  }

 private:
  struct Output {
    bool used = false;
    char* data = nullptr;
    ScalarType stored = ScalarType::Undefined;
    int64_t item = 0;
  };

  // n input elements with a stride, as a dense run of the compute type: in place, or in the buffer.
  const char* dense(const char* p, int64_t stride, int64_t n, char* buffer, char* raw) const {
    if (stride == item_ || n == 1) {
      if (stored_ == ops_.compute) return p;
      convert_elements(stored_, p, ops_.compute, buffer, n);
    } else if (stored_ == ops_.compute) {
      gather_elements(buffer, p, item_, stride, 0, n, 1);
    } else {
      gather_elements(raw, p, item_, stride, 0, n, 1);
      convert_elements(stored_, raw, ops_.compute, buffer, n);
    }
    return buffer;
  }

  // The same for `rows` runs, which are `step` bytes apart in memory and become adjacent. Short
  // ones are gathered together.
  const char* dense_rows(const char* p, int64_t stride, int64_t step, int64_t n, int64_t rows,
                         char* buffer, char* raw) const {
    if (stride == item_ && step == n * item_) return dense(p, item_, n * rows, buffer, raw);
    // The rows of columns that are dense: in squares.
    const bool is_transposed = step == item_ && n >= kSquare && rows >= kSquare;
    if (is_transposed || n < kFewElements) {
      const bool same = stored_ == ops_.compute;
      char* to = same ? buffer : raw;
      if (is_transposed) transpose_copy_stub(kCPU, to, n * item_, p, stride, n, rows, item_);
      else gather_elements(to, p, item_, stride, step, n, rows);
      if (!same) convert_elements(stored_, raw, ops_.compute, buffer, n * rows);
      return buffer;
    }
    for (int64_t r = 0; r < rows; ++r) {
      char* row = buffer + r * n * computed_item_;
      const char* d = dense(p + r * step, stride, n, row, raw);
      if (d != row) std::copy(d, d + n * computed_item_, row);
    }
    return buffer;
  }

  // Adds n elements with a stride to one accumulator; they fit into the buffer unless they can be
  // used where they are.
  void add_row(const char* p, int64_t stride, int64_t n, int64_t first, char* acc) const {
    if (reads_as_stored(stride)) return row_as_stored_(ops_, p, n, first, acc);
    alignas(64) char buffer[kBufferBytes], raw[kBufferBytes];
    ops_.row(ops_, dense(p, stride, n, buffer, raw), n, first, acc);
  }

  bool reads_as_stored(int64_t stride) const { return row_as_stored_ && stride == item_; }
  bool direct(int64_t stride) const { return stored_ == ops_.compute && stride == item_; }

  void store(const char* acc, int64_t n, const Offsets& at, int64_t step0, int64_t step1) const {
    alignas(64) char results[2][kMaxColumns * 16];
    ops_.finish(ops_, acc, n, count_, results[0], results[1]);
    int64_t steps[2] = {step0, step1}, offsets[2] = {at.out0, at.out1};
    for (int k = 0; k < 2; ++k) {
      const Output& o = outputs_[k];
      if (!o.used) continue;
      char* to = o.data + offsets[k];
      if (n == 1 && o.stored == ops_.result[k]) {
        std::memcpy(to, results[k], o.item);
      } else if (n == 1 || steps[k] == o.item) {
        convert_elements(ops_.result[k], results[k], o.stored, to, n);
      } else {
        alignas(64) char raw[kMaxColumns * 16];
        convert_elements(ops_.result[k], results[k], o.stored, raw, n);
        scatter_elements(raw, to, o.item, steps[k], 0, n, 1);
      }
    }
  }

  // --- rows -------------------------------------------------------------------------------------

  // Elements [begin, end) reduced into one accumulator.
  void reduce_range(const char* base, int64_t begin, int64_t end, char* acc) const {
    if (reduced_.empty()) return add_row(base, item_, 1, begin, acc);
    const Dim& inner = reduced_[0];
    const bool is_direct = direct(inner.in) || reads_as_stored(inner.in);
    const int64_t piece = is_direct ? INT64_MAX : kBufferBytes / std::max(item_, computed_item_);
    Dims outer(reduced_.begin() + 1, reduced_.end());
    for (int64_t i = begin; i < end;) {
      int64_t k = i % inner.size;
      int64_t n = std::min({inner.size - k, end - i, piece});
      const char* p = base + offsets_of(outer, i / inner.size).in + k * inner.in;
      if (inner.size < kFewElements && !outer.empty() && k == 0) {
        // Many short rows as one.
        const int64_t rows =
            std::min({outer[0].size - i / inner.size % outer[0].size, (end - i) / inner.size,
                      kBufferBytes / (std::max(item_, computed_item_) * inner.size)});
        if (rows > 1) {
          n = rows * inner.size;
          alignas(64) char buffer[kBufferBytes], raw[kBufferBytes];
          const bool same = stored_ == ops_.compute;
          gather_elements(same ? buffer : raw, p, item_, inner.in, outer[0].in, inner.size, rows);
          if (!same) convert_elements(stored_, raw, ops_.compute, buffer, n);
          ops_.row(ops_, buffer, n, i, acc);
          i += n;
          continue;
        }
      }
      add_row(p, inner.in, n, i, acc);
      i += n;
    }
  }

  void run_rows() {
    int64_t outputs = product(kept_);
    int threads = get_num_threads();
    if (outputs < threads && count_ > kGrainSize && !in_parallel_region()) {
      for (int64_t o = 0; o < outputs; ++o) split_row(offsets_of(kept_, o), threads);
      return;
    }
    const bool dense_rows = reduced_.size() == 1 && reduced_[0].in == item_;
    if (dense_rows && ops_.rows && count_ > 0 && !kept_.empty() &&
        (direct(item_) || count_ * std::max(item_, computed_item_) <= kBufferBytes))
      return run_whole_rows(outputs);
    const bool whole = dense_rows && direct(item_);
    parallel_for(0, outputs, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(count_, 1)),
                 [&](int64_t begin, int64_t end) {
      alignas(64) char acc[64];
      Place place(kept_, begin);
      for (int64_t o = begin; o < end; ++o, place.next()) {
        ops_.init(ops_, acc, 1);
        const char* row = in_ + place.at.in;
        if (whole) ops_.row(ops_, row, count_, 0, acc);
        else reduce_range(row, 0, count_, acc);
        store(acc, 1, place.at, 0, 0);
      }
    });
  }

  // Rows that are dense in memory, many at once.
  void run_whole_rows(int64_t outputs) {
    const Dim& along = kept_[0];
    int64_t together = std::min<int64_t>(kMaxColumns, kBufferBytes / ops_.acc_size);
    const bool is_direct = direct(item_);
    if (!is_direct)
      together = std::min(together, kBufferBytes / (count_ * std::max(item_, computed_item_)));
    const bool adjacent = along.in == count_ * item_;
    parallel_for(0, outputs, std::max<int64_t>(1, kGrainSize / count_),
                 [&](int64_t begin, int64_t end) {
      alignas(64) char acc[kBufferBytes], buffer[kBufferBytes];
      while (begin < end) {
        const int64_t n = std::min({together, along.size - begin % along.size, end - begin});
        const Offsets at = offsets_of(kept_, begin);
        const char* p = in_ + at.in;
        ops_.init(ops_, acc, n);
        if (is_direct) {
          ops_.rows(ops_, p, n, along.in, count_, acc);
        } else {
          const int64_t bytes = count_ * computed_item_;
          if (adjacent) convert_elements(stored_, p, ops_.compute, buffer, n * count_);
          for (int64_t r = 0; r < n && !adjacent; ++r)
            convert_elements(stored_, p + r * along.in, ops_.compute, buffer + r * bytes, count_);
          ops_.rows(ops_, buffer, n, bytes, count_, acc);
        }
        store(acc, n, at, along.out0, along.out1);
        begin += n;
      }
    });
  }

  void split_row(const Offsets& at, int threads) const {
    struct alignas(64) Slot {
      char bytes[64];
    };
    std::unique_ptr<Slot[]> partial(new Slot[threads]);
    int64_t each = divup(count_, threads);
    parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        ops_.init(ops_, partial[t].bytes, 1);
        if (t * each < count_)
          reduce_range(in_ + at.in, t * each, std::min(count_, (t + 1) * each), partial[t].bytes);
      }
    });
    for (int t = 1; t < threads && t * each < count_; ++t)
      ops_.combine(ops_, partial[0].bytes, partial[t].bytes, 1);
    store(partial[0].bytes, 1, at, 0, 0);
  }

  // --- columns ----------------------------------------------------------------------------------

  // Rows [begin, end) of the reduced dimensions, n columns from `base` on.
  void reduce_columns(const char* base, int64_t n, int64_t begin, int64_t end, char* acc) const {
    const Dim& inner = kept_[0];
    alignas(64) char buffer[kBufferBytes], raw[kBufferBytes];
    const int64_t rows_at_once =
        std::max<int64_t>(1, kBufferBytes / (n * std::max(item_, computed_item_)));
    static const Dim kOne{1, 0, 0, 0};
    const Dim& down = reduced_.empty() ? kOne : reduced_[0];
    Dims outer;
    if (!reduced_.empty()) outer = Dims(reduced_.begin() + 1, reduced_.end());
    for (int64_t i = begin; i < end;) {
      int64_t k = i % down.size;
      int64_t rows = std::min(down.size - k, end - i);
      const char* p = base + offsets_of(outer, i / down.size).in + k * down.in;
      if (direct(inner.in)) {
        ops_.columns(ops_, p, rows, down.in, n, i, acc);
      } else if (columns_as_stored_ && inner.in == item_) {
        columns_as_stored_(ops_, p, rows, down.in, n, i, acc);
      } else {
        rows = std::min(rows, rows_at_once);
        const char* block = dense_rows(p, inner.in, down.in, n, rows, buffer, raw);
        ops_.columns(ops_, block, rows, n * computed_item_, n, i, acc);
      }
      i += rows;
    }
  }

  // A whole reduction over the only reduced dimension, which is short.
  void add_few_rows(const char* base, int64_t n, char* out) const {
    const Dim &inner = kept_[0], &down = reduced_[0];
    if (direct(inner.in)) return ops_.few_rows(ops_, base, count_, down.in, n, out);
    alignas(64) char buffer[kBufferBytes], raw[kBufferBytes];
    const char* block = dense_rows(base, inner.in, down.in, n, count_, buffer, raw);
    ops_.few_rows(ops_, block, count_, n * computed_item_, n, out);
  }

  void run_columns() {
    const Dim inner = kept_[0];
    const Dims outer(kept_.begin() + 1, kept_.end());
    const int threads = get_num_threads();
    // A multiple of a cache line of outputs, at most as many as the threads can share.
    int64_t width =
        std::min<int64_t>(kMaxColumns, kBufferBytes / static_cast<int64_t>(ops_.acc_size));
    width = std::min(width, std::max<int64_t>(64, divup(divup(inner.size, threads), 64) * 64));
    // All of a few rows are copied at once.
    const int64_t column_bytes = count_ * std::max(item_, computed_item_);
    if (!direct(inner.in) && count_ > 0 && column_bytes <= kBufferBytes / 64)
      width = std::min(width, kBufferBytes / column_bytes / 64 * 64);
    const int64_t strips = divup(inner.size, width), units = strips * product(outer);
    auto unit = [&](int64_t u, int64_t& n) {
      int64_t k = u % strips * width;
      n = std::min(width, inner.size - k);
      Offsets at = offsets_of(outer, u / strips);
      at.in += k * inner.in;
      at.out0 += k * inner.out0;
      at.out1 += k * inner.out1;
      return at;
    };
    constexpr int64_t kFewRows = 16;
    const Output& o = outputs_[0];
    const bool few_rows = ops_.few_rows && count_ > 0 && count_ <= kFewRows &&
                          reduced_.size() == 1 && o.used && o.stored == ops_.result[0] &&
                          inner.out0 == o.item;
    const int64_t work = count_ * std::min(width, inner.size);
    if (units < threads && work > kGrainSize && !in_parallel_region()) {
      for (int64_t u = 0; u < units; ++u) {
        int64_t n;
        Offsets at = unit(u, n);
        split_columns(at, n, inner, threads);
      }
      return;
    }
    parallel_for(0, units, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(work, 1)),
                 [&](int64_t begin, int64_t end) {
      alignas(64) char acc[kBufferBytes];
      for (int64_t u = begin; u < end; ++u) {
        int64_t n;
        Offsets at = unit(u, n);
        if (few_rows) {
          add_few_rows(in_ + at.in, n, o.data + at.out0);
          continue;
        }
        ops_.init(ops_, acc, n);
        reduce_columns(in_ + at.in, n, 0, count_, acc);
        store(acc, n, at, inner.out0, inner.out1);
      }
    });
  }

  void split_columns(const Offsets& at, int64_t n, const Dim& inner, int threads) const {
    struct alignas(64) Slot {
      char bytes[kBufferBytes];
    };
    std::unique_ptr<Slot[]> partial(new Slot[threads]);
    int64_t each = divup(count_, threads);
    parallel_for(0, threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        ops_.init(ops_, partial[t].bytes, n);
        if (t * each < count_)
          reduce_columns(in_ + at.in, n, t * each, std::min(count_, (t + 1) * each),
                         partial[t].bytes);
      }
    });
    for (int t = 1; t < threads && t * each < count_; ++t)
      ops_.combine(ops_, partial[0].bytes, partial[t].bytes, n);
    store(partial[0].bytes, n, at, inner.out0, inner.out1);
  }

  const ReduceOps& ops_;
  ScalarType stored_;
  int64_t item_, computed_item_;
  decltype(ReduceOps::row) row_as_stored_ = nullptr;
  decltype(ReduceOps::columns) columns_as_stored_ = nullptr;
  const char* in_;
  Output outputs_[2];
  Dims reduced_, kept_;
  int64_t count_ = 1;
};

// The type that a reduction computes in on the CPU. Extremes of integers need not be widened, nor
// need numbers become bools to be counted; bools are bytes of 0 and 1.
ScalarType compute_type(const Reduction& reduction, ScalarType stored) {
  const ReduceKind kind = reduction.kind;
  const bool is_extreme =
      kind == ReduceKind::amax || kind == ReduceKind::amin || kind == ReduceKind::aminmax;
  const bool is_narrow = (stored == kInt || stored == kShort || stored == kChar || stored == kByte);
  if (is_extreme && stored == kBool) return kByte;
  if (kind == ReduceKind::count_nonzero &&
      (stored == kLong || stored == kInt || stored == kFloat || stored == kDouble))
    return stored;
  return is_extreme && is_narrow ? stored : reduction.compute;
}

}  // namespace

static void reduce_on_cpu(const Reduction& reduction, const Tensor& self, uint64_t mask,
                          bool keepdim, const Tensor& out0, const Tensor& out1) {
  ReduceOps ops = reduce_ops_stub(kCPU, reduction.kind, compute_type(reduction, self.scalar_type()),
                                  reduction.op);
  ops.parameter = reduction.parameter;
  if (out0.numel() == 0) return;
  if (C10_UNLIKELY(g_stub_observer != nullptr))
    g_stub_observer("reduce_ops row", reinterpret_cast<const void*>(ops.row));
  Reducer(ops, self, mask, keepdim, out0, out1).run();
}

REGISTER_ALL_CPU_DISPATCH(reduction_stub, &reduce_on_cpu)

}  // namespace at::native
