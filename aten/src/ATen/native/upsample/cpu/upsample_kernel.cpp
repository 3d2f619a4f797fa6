// Interpolation along one dimension, from a table of taps.

#include <cstring>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/RunSums.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/upsample/cpu/for_each_row.h>
#include <ATen/native/upsample/upsample.h>

namespace at::native {
namespace {

void copy_rows(const ResampleTable& t, const char* from, char* to, int64_t outer, int64_t bytes) {
  t.fill();
  parallel_for(0, outer * t.out, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, bytes)),
               [&](int64_t begin, int64_t end) {
    char* row = to + begin * bytes;
    for_each_row(begin, end, t.out, [&](int64_t line, int64_t o) {
      copy_bytes(row, from + (line * t.in + t.index[o]) * bytes, bytes);
      row += bytes;
    });
  });
}

// A plane at a time, row by row. A row that is read again is copied from the one above.
template <typename MakeRow>
void copy_planes(const ResampleTable& rows, const ResampleTable& columns, const char* from,
                 char* to, int64_t outer, int64_t bytes, const MakeRow& make_row) {
  const int64_t from_row = columns.in * bytes, to_row = columns.out * bytes;
  parallel_for(0, outer * rows.out, std::max<int64_t>(1, 65536 / to_row),
               [&](int64_t begin, int64_t end) {
    char* row = to + begin * to_row;
    const char* before = nullptr;
    for_each_row(begin, end, rows.out, [&](int64_t plane, int64_t o) {
      const char* here = from + (plane * rows.in + rows.index[o]) * from_row;
      if (here == before) copy_bytes(row, row - to_row, to_row);
      else make_row(here, row);
      before = here;
      row += to_row;
    });
  });
}

// So many elements of the result at a time: the input's element at or before the position of each,
// and how far behind it the position is, as ResampleRule computes them.
constexpr int64_t kRun = 256;
struct Run {
  int32_t element[kRun];
  float part[kRun];

  Run(const ResampleTable& t, int64_t first) {
    using V = Vec<float>;
    using Int = typename V::Mask;
    const bool centered = t.copies() ? t.mode == upsample::Mode::nearest_exact : !t.align_corners;
    const float before = centered ? 0.5f : 0.0f, after = centered && !t.copies() ? -0.5f : 0.0f;
    const V step(static_cast<float>(t.step)), end(static_cast<float>(t.in - 1));
    const Int last = Int{} + static_cast<int32_t>(t.in - 1);
    Int number;
    for (int i = 0; i < V::size; ++i) number[i] = static_cast<int32_t>(first) + i;
    for (int64_t i = 0; i < kRun; i += V::size, number += static_cast<int32_t>(V::size)) {
      V position = (V(__builtin_convertvector(number, typename V::V)) + before) * step;
      asm("" : "+x"(position.v));  // the product is rounded, as everywhere
      position = position + after;
      const V at = where(position > V(0.0f), position, V(0.0f));
      const Int is_before = at < end;
      const Int found = (__builtin_convertvector(at.v, Int) & is_before) | (last & ~is_before);
      const V rest = at - V(__builtin_convertvector(found, typename V::V));
      std::memcpy(element + i, &found, sizeof found);
      where(rest < V(1.0f), rest, V(1.0f)).store(part + i);
    }
  }
};

// f(line of the input, results, run, n) for all runs, of n <= kRun elements, of all lines.
template <typename T, typename F>
void for_each_run(const ResampleTable& t, const T* from, T* to, int64_t outer, const F& f) {
  parallel_for(0, divup(t.out, kRun), std::max<int64_t>(1, kGrainSize / 2 / (kRun * outer)),
               [&](int64_t begin, int64_t end) {
    for (int64_t first = begin * kRun; first < std::min(end * kRun, t.out); first += kRun) {
      const Run run(t, first);
      for (int64_t line = 0; line < outer; ++line)
        f(from + line * t.in, to + line * t.out + first, run, std::min(kRun, t.out - first));
    }
  });
}

template <typename T>
void copy_long_lines(const ResampleTable& t, const T* from, T* to, int64_t outer) {
  for_each_run(t, from, to, outer, [](const T* line, T* results, const Run& run, int64_t n) {
    for (int64_t i = 0; i < n; ++i) results[i] = line[run.element[i]];
  });
}

void interpolate_long_lines(const ResampleTable& t, const float* from, float* to, int64_t outer) {
  const auto last = static_cast<int32_t>(t.in - 1);
  for_each_run(t, from, to, outer,
               [last](const float* line, float* results, const Run& run, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const int32_t e = run.element[i];
      results[i] = (1 - run.part[i]) * line[e] + run.part[i] * line[e + (e < last)];
    }
  });
}

template <typename T>
void copy_elements(const ResampleTable& t, const T* from, T* to, int64_t outer) {
  if (are_long_lines(t, outer, 1)) return copy_long_lines(t, from, to, outer);
  t.fill();
  parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, t.out)),
               [&](int64_t begin, int64_t end) {
    const int64_t* index = t.index.data();
    for (int64_t o = begin; o < end; ++o) {
      const T* row = from + o * t.in;
      for (int64_t i = 0; i < t.out; ++i) to[o * t.out + i] = row[index[i]];
    }
  });
}

// Elements first to last of one line.
template <typename T>
void interpolate_line(const ResampleTable& t, const T* weight, const T* from, T* to, int64_t first,
                      int64_t last) {
  const int64_t taps = t.taps, *index = t.index.data();
  if (taps == 2) {
    for (int64_t o = first; o < last; ++o)
      to[o] = weight[2 * o] * from[index[2 * o]] + weight[2 * o + 1] * from[index[2 * o + 1]];
    return;
  }
  for (int64_t o = first; o < last; ++o) {
    T sum = 0;
    for (int64_t k = o * taps; k < (o + 1) * taps; ++k) sum += weight[k] * from[index[k]];
    to[o] = sum;
  }
}

// One row of elements from the rows of its taps, which row_of(index) gives.
template <typename T, typename RowOf>
void interpolate_row(const RowOf& row_of, const int64_t* index, const T* weight, int64_t taps,
                     T* row, int64_t inner) {
  if (taps == 2) {
    const T *a = row_of(index[0]), *b = row_of(index[1]);
    const T wa = weight[0], wb = weight[1];
#pragma GCC ivdep
    for (int64_t i = 0; i < inner; ++i) row[i] = wa * a[i] + wb * b[i];
    return;
  }
  std::fill(row, row + inner, T(0));
  for (int64_t k = 0; k < taps; ++k) {
    const T w = weight[k];
    if (w == T(0)) continue;
    const T* a = row_of(index[k]);
#pragma GCC ivdep
    for (int64_t i = 0; i < inner; ++i) row[i] += w * a[i];
  }
}

// All rows of a line.
template <typename T>
void interpolate_rows(const ResampleTable& t, const T* weight, const T* from, T* to, int64_t first,
                      int64_t last, int64_t inner) {
  const auto row_of = [from, inner](int64_t i) { return from + i * inner; };
  for (int64_t o = first; o < last; ++o, to += inner)
    interpolate_row(row_of, t.index.data() + o * t.taps, weight + o * t.taps, t.taps, to, inner);
}

// Planes row by row: rows are first interpolated along themselves, into memory for as many as one
// row of the result reads.
template <typename T>
void interpolate_planes(const ResampleTable& rows, const ResampleTable& columns, const T* from,
                        T* to, int64_t outer, int64_t inner) {
  const std::vector<T> down(rows.weight.begin(), rows.weight.end()),
      across(columns.weight.begin(), columns.weight.end());
  const int64_t from_row = columns.in * inner, to_row = columns.out * inner, taps = rows.taps;
  parallel_for(0, outer * rows.out, std::max<int64_t>(1, kGrainSize / 2 / to_row),
               [&](int64_t begin, int64_t end) {
    std::vector<T> memory(static_cast<size_t>(taps * to_row));
    std::vector<const T*> held(static_cast<size_t>(taps));
    T* row = to + begin * to_row;
    for_each_row(begin, end, rows.out, [&](int64_t plane, int64_t o) {
      const T* image = from + plane * rows.in * from_row;
      // Taps are neighbours, so that each has a place of its own.
      const auto row_of = [&](int64_t i) -> const T* {
        const int64_t place = i % taps;
        T* result = memory.data() + place * to_row;
        const T* source = image + i * from_row;
        if (held[static_cast<size_t>(place)] == source) return result;
        held[static_cast<size_t>(place)] = source;
        if (inner == 1) interpolate_line(columns, across.data(), source, result, 0, columns.out);
        else interpolate_rows(columns, across.data(), source, result, 0, columns.out, inner);
        return result;
      };
      interpolate_row(row_of, rows.index.data() + o * taps, down.data() + o * taps, taps, row,
                      to_row);
      row += to_row;
    });
  });
}

template <typename T>
void interpolate(const ResampleTable& t, const std::vector<T>& weight, const T* from, T* to,
                 int64_t outer, int64_t inner) {
  parallel_for(0, outer * t.out, std::max<int64_t>(1, kGrainSize / 2 / std::max<int64_t>(1, inner)),
               [&](int64_t begin, int64_t end) {
    if (inner == 1) {
      while (begin < end) {
        const int64_t line = begin / t.out, first = begin - line * t.out,
                      last = std::min(t.out, first + end - begin);
        interpolate_line(t, weight.data(), from + line * t.in, to + line * t.out, first, last);
        begin += last - first;
      }
      return;
    }
    T* row = to + begin * inner;
    for_each_row(begin, end, t.out, [&](int64_t line, int64_t o) {
      interpolate_rows(t, weight.data(), from + line * t.in * inner, row, o, o + 1, inner);
      row += inner;
    });
  });
}

// The table as the input sees it: the output elements that read input element i, in order, and
// their weights. They stand at first[i] to first[i + 1].
template <typename T>
struct Readers {
  explicit Readers(const ResampleTable& t) : first(static_cast<size_t>(t.in) + 1) {
    auto for_each_tap = [&](const auto& f) {
      for (int64_t o = 0; o < t.out; ++o)
        for (int64_t k = o * t.taps; k < (o + 1) * t.taps; ++k)
          if (t.copies() || t.weight[k] != 0) f(o, t.index[k], t.copies() ? 1 : t.weight[k]);
    };
    for_each_tap([&](int64_t, int64_t i, double) { ++first[i + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    element.resize(first.back());
    weight.resize(first.back());
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for_each_tap([&](int64_t o, int64_t i, double w) {
      element[next[i]] = o;
      weight[next[i]++] = static_cast<T>(w);
    });
  }
  std::vector<int64_t> first, element;
  std::vector<T> weight;
};

// to[i] = the sum of weight * from[element] over the readers of i.
template <typename T>
void sum_readers(const Readers<T>& readers, const T* from, T* to, int64_t in) {
  const int64_t *element = readers.element.data(), *first = readers.first.data();
  const T* weight = readers.weight.data();
  for (int64_t i = 0; i < in; ++i) {
    T sum = 0;
    for (int64_t k = first[i]; k < first[i + 1]; ++k) sum += weight[k] * from[element[k]];
    to[i] = sum;
  }
}

// The same for a row of elements of input element i. The sums stay in registers.
template <typename T, typename S>
void sum_reader_rows(const Readers<S>& readers, int64_t i, const T* from, S* to, int64_t inner) {
  const int64_t begin = readers.first[i], count = readers.first[i + 1] - begin;
  const int64_t* element = readers.element.data() + begin;
  const S* weight = readers.weight.data() + begin;
  sum_in_registers<Vec<S>>(count, inner, [&](int64_t k, int64_t j, auto... size) {
    return Vec<S>(weight[k]) * load_wide(from + element[k] * inner + j, size...);
  }, [to](Vec<S> sum, int64_t j, auto... size) { sum.store(to + j, size...); });
}

// All elements of a line become 0, and each element of the gradient is added where it was read.
template <typename T>
void add_line_to_taps(const ResampleTable& t, const T* weight, const T* from, T* to) {
  const int64_t* index = t.index.data();
  std::fill_n(to, t.in, T(0));
  if (t.copies()) {
    for (int64_t o = 0; o < t.out; ++o) to[index[o]] += from[o];
    return;
  }
  for (int64_t o = 0; o < t.out; ++o) {
    for (int64_t k = o * t.taps; k < (o + 1) * t.taps; ++k) to[index[k]] += weight[k] * from[o];
  }
}

// The same for all lines of rows of `inner` elements: for a table that reads few of the input's.
template <typename T>
void add_to_taps(const ResampleTable& t, const T* from, T* to, int64_t outer, int64_t inner) {
  if (inner == 1) {
    const std::vector<T> weight(t.weight.begin(), t.weight.end());
    parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / (t.in + t.out * t.taps)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line)
        add_line_to_taps(t, weight.data(), from + line * t.out, to + line * t.in);
    });
    return;
  }
  parallel_for(0, outer * t.in * inner, kGrainSize, [&](int64_t begin, int64_t end) {
    std::memset(to + begin, 0, static_cast<size_t>(end - begin) * sizeof(T));
  });
  const int64_t line_work = std::max<int64_t>(1, t.out * t.taps * inner);
  parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / line_work),
               [&](int64_t begin, int64_t end) {
    const T* row = from + begin * t.out * inner;
    for_each_row(begin * t.out, end * t.out, t.out, [&](int64_t line, int64_t o) {
      for (int64_t k = o * t.taps; k < (o + 1) * t.taps; ++k) {
        const T w = t.copies() ? T(1) : static_cast<T>(t.weight[k]);
        if (w == T(0)) continue;
        T* sums = to + (line * t.in + t.index[k]) * inner;
#pragma GCC ivdep
        for (int64_t i = 0; i < inner; ++i) sums[i] += w * row[i];
      }
      row += inner;
    });
  });
}

}  // namespace

namespace {

void copy_elements_of_planes(const ResampleTable& rows, const ResampleTable& columns,
                             const char* from, char* to, int64_t outer, int64_t inner,
                             size_t item) {
  const int64_t *index = columns.index.data(), bytes = inner * static_cast<int64_t>(item);
  if (inner == 1) {
    return by_size(item, [&]<typename T>(T) {
      copy_planes(rows, columns, from, to, outer, bytes, [&](const char* row, char* result) {
        const T* elements = reinterpret_cast<const T*>(row);
        T* results = reinterpret_cast<T*>(result);
        for (int64_t i = 0; i < columns.out; ++i) results[i] = elements[index[i]];
      });
    });
  }
  copy_planes(rows, columns, from, to, outer, bytes, [&](const char* row, char* result) {
    for (int64_t i = 0; i < columns.out; ++i)
      copy_bytes(result + i * bytes, row + index[i] * bytes, bytes);
  });
}

}  // namespace

static void resample_planes_kernel(const ResampleTable& rows, const ResampleTable& columns,
                                   const Tensor& input, const Tensor& output, int64_t outer,
                                   int64_t inner) {
  rows.fill();
  columns.fill();
  const ScalarType dtype = input.scalar_type();
  if (rows.copies()) {
    return copy_elements_of_planes(rows, columns, static_cast<const char*>(input.data_ptr()),
                                   static_cast<char*>(output.data_ptr()), outer, inner,
                                   elementSize(dtype));
  }
  dispatch_types<FloatingTypes>(dtype, "upsample", [&]<typename T>(TypeTag<T>) {
    interpolate_planes(rows, columns, static_cast<const T*>(input.data_ptr()),
                       static_cast<T*>(output.data_ptr()), outer, inner);
  });
}

static void resample_kernel(const ResampleTable& t, const Tensor& input, const Tensor& output,
                            int64_t outer, int64_t inner) {
  const ScalarType dtype = input.scalar_type();
  const void* from = input.data_ptr();
  void* to = output.data_ptr();
  size_t item = elementSize(dtype);
  if (t.copies()) {
    if (inner > 1)
      return copy_rows(t, static_cast<const char*>(from), static_cast<char*>(to), outer,
                       inner * static_cast<int64_t>(item));
    return by_size(item, [&]<typename U>(U) {
      copy_elements(t, static_cast<const U*>(from), static_cast<U*>(to), outer);
    });
  }
  if (dtype == kFloat && are_long_lines(t, outer, inner))
    return interpolate_long_lines(t, static_cast<const float*>(from), static_cast<float*>(to),
                                  outer);
  t.fill();
  dispatch_types<FloatingTypes>(dtype, "upsample", [&]<typename T>(TypeTag<T>) {
    std::vector<T> weight(t.weight.begin(), t.weight.end());
    interpolate(t, weight, static_cast<const T*>(from), static_cast<T*>(to), outer, inner);
  });
}

namespace {

// T: the type of the gradient, whose sums have type S.
template <typename T, typename S>
void add_long_lines(const ResampleTable& t, const T* from, S* to, int64_t outer) {
  const auto last = static_cast<int32_t>(t.in - 1);
  parallel_for(0, outer, 1, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      S* sums = to + line * t.in;
      std::fill_n(sums, t.in, S(0));
      for (int64_t first = 0; first < t.out; first += kRun) {
        const Run run(t, first);
        const T* gradient = from + line * t.out + first;
        const int64_t n = std::min(kRun, t.out - first);
        if (t.copies()) {
          // The sum of neighbours that were read at one place does not wait for memory.
          for (int64_t i = 0; i < n;) {
            const int32_t e = run.element[i];
            S sum = sums[e];
            do sum += static_cast<S>(gradient[i]);
            while (++i < n && run.element[i] == e);
            sums[e] = sum;
          }
          continue;
        }
        for (int64_t i = 0; i < n; ++i) {
          const int32_t e = run.element[i];
          const S g = static_cast<S>(gradient[i]), part = run.part[i];
          sums[e] += (S(1) - part) * g;
          sums[e + (e < last)] += part * g;
        }
      }
    }
  });
}

template <typename T, typename S>
void sum_all_readers(const ResampleTable& t, const T* from, S* to, int64_t outer, int64_t inner) {
  const Readers<S> readers(t);
  if (inner == 1) {
    parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / t.out),
                 [&](int64_t begin, int64_t end) {
      std::vector<S> wide(std::is_same_v<T, S> ? 0 : t.out);
      for (int64_t o = begin; o < end; ++o) {
        const T* line = from + o * t.out;
        if constexpr (std::is_same_v<T, S>) {
          sum_readers(readers, line, to + o * t.in, t.in);
        } else {
          convert_run(line, wide.data(), t.out);
          sum_readers(readers, wide.data(), to + o * t.in, t.in);
        }
      }
    });
    return;
  }
  const int64_t row_work = std::max<int64_t>(1, inner * t.out / t.in);
  parallel_for(0, outer * t.in, std::max<int64_t>(1, kGrainSize / row_work),
               [&](int64_t begin, int64_t end) {
    S* row = to + begin * inner;
    for_each_row(begin, end, t.in, [&](int64_t line, int64_t i) {
      sum_reader_rows(readers, i, from + line * t.out * inner, row, inner);
      row += inner;
    });
  });
}

}  // namespace

static void resample_backward_kernel(const ResampleTable& t, const Tensor& grad,
                                     const Tensor& output, int64_t outer, int64_t inner) {
  dispatch_types<FloatingAndReduced>(grad.scalar_type(), "upsample_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using S = SumType<T>;
    const T* from = static_cast<const T*>(grad.data_ptr());
    S* to = static_cast<S*>(output.data_ptr());
    if (are_long_lines(t, outer, inner)) return add_long_lines(t, from, to, outer);
    t.fill();
    if constexpr (std::is_same_v<T, S>) {
      // Sums of a line that shrinks do not wait for each other: few outputs read the same element.
      const bool shrinks = inner == 1 && t.out <= t.in && t.taps <= 2;
      if (shrinks || t.reads_few()) return add_to_taps(t, from, to, outer, inner);
    }
    sum_all_readers(t, from, to, outer, inner);
  });
}

REGISTER_DISPATCH(resample_planes_stub, &resample_planes_kernel)
REGISTER_DISPATCH(resample_stub, &resample_kernel)
REGISTER_DISPATCH(resample_backward_stub, &resample_backward_kernel)

}  // namespace at::native
