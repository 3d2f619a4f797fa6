// The loops of reflection and replication padding.

#include <cstring>
#include <numeric>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/ShortRuns.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/padding/edges.h>

namespace at::native {
namespace {

// make() gives each thread a function f(line, place in dimension 0, in dimension 1, outer), which
// is called for each line of a tensor with these dimensions. Threads do at least `grain` lines.
template <typename Make>
void for_each_line(int64_t outer, const int64_t (&dims)[3], int64_t grain, const Make& make) {
  parallel_for(0, outer * dims[0] * dims[1], std::max<int64_t>(grain, 1),
               [&](int64_t begin, int64_t end) {
    auto f = make();
    int64_t b = begin % dims[1], a = begin / dims[1] % dims[0], o = begin / dims[1] / dims[0];
    for (int64_t line = begin; line < end; ++line) {
      f(line, a, b, o);
      if (++b < dims[1]) continue;
      b = 0;
      if (++a < dims[0]) continue;
      a = 0;
      ++o;
    }
  });
}

// Places [first, past) of dimension d of the result come from adjacent places of the input.
struct Middle {
  int64_t first, past;
  Middle(const PaddedShape& s, int d)
      : first(std::clamp<int64_t>(s.before[d], 0, s.out[d])),
        past(std::clamp<int64_t>(s.before[d] + s.in[d], first, s.out[d])) {}
};

// Gradients of lines with fewer elements than this are added up one element at a time.
constexpr int64_t kShortLine = 24;

// With a map for each dimension, from places of the result to those of the input.
struct MappedShape : PaddedShape {
  explicit MappedShape(const PaddedShape& s) : PaddedShape(s), middle(s, 2), columns(out[2]) {
    for (int d : {0, 1}) {
      map[d].resize(static_cast<size_t>(out[d]));
      for (int64_t i = 0; i < out[d]; ++i) map[d][i] = source(d, i);
    }
    const auto fill = [&](int64_t first, int64_t past) {
      for (int64_t c = first; c < past; ++c) columns[c] = source(2, c);
    };
    const bool is_short = out[2] < kShortLine;
    fill(0, is_short ? out[2] : middle.first);
    fill(middle.past, out[2]);
  }
  // Where the middle of a line comes from.
  int64_t middle_source() const { return source(2, std::min(middle.first, out[2] - 1)); }

  std::vector<int64_t> map[2];
  Middle middle;
  Scratch<int64_t> columns;  // the middle of a long line has none
};

bool is_empty(const PaddedShape& s) {
  return s.in[0] * s.in[1] * s.in[2] == 0 || s.out[0] * s.out[1] * s.out[2] == 0;
}

// The inverse of a map: the places of the result that come from place i of the input, in order,
// stand at first[i] to first[i + 1].
struct Copies {
  Copies(const std::vector<int64_t>& map, int64_t in)
      : first(static_cast<size_t>(in) + 1), place(map.size()) {
    for (int64_t i : map) ++first[i + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for (size_t k = 0; k < map.size(); ++k) place[next[map[k]]++] = static_cast<int64_t>(k);
  }
  template <typename F>
  void each(int64_t i, const F& f) const {
    for (int64_t k = first[i]; k < first[i + 1]; ++k) f(place[k]);
  }
  int64_t count(int64_t i) const { return first[i + 1] - first[i]; }
  std::vector<int64_t> first, place;
};

// Pads lines that are adjacent in the input and in the result.
template <typename T>
void pad_lines(const MappedShape& shape, const T* from, T* to, int64_t lines) {
  constexpr int64_t kItem = sizeof(T);
  const int64_t in = shape.in[2], out = shape.out[2], *columns = shape.columns.get();
  const Middle middle = shape.middle;
  if (const int64_t width = middle.past - middle.first; width > 0) {
    copy_runs({reinterpret_cast<char*>(to + middle.first), out * kItem,
               reinterpret_cast<const char*>(from + shape.middle_source()), in * kItem, lines},
              width * kItem);
  }
  for (; lines > 0; --lines, from += in, to += out) {
    for (int64_t c = 0; c < middle.first; ++c) to[c] = from[columns[c]];
    for (int64_t c = middle.past; c < out; ++c) to[c] = from[columns[c]];
  }
}

// Pads lines first to last of a plane: those in its middle at once, and the others as copies of
// these where they are among them.
template <typename T>
void pad_plane(const MappedShape& shape, const T* from, T* to, int64_t first, int64_t last) {
  const int64_t in = shape.in[2], out = shape.out[2];
  const std::vector<int64_t>& map = shape.map[1];
  const Middle middle(shape, 1);
  const int64_t begin = std::clamp(middle.first, first, last),
                end = std::clamp(middle.past, begin, last);
  if (begin < end) pad_lines(shape, from + map[begin] * in, to + begin * out, end - begin);
  const auto pad_others = [&](int64_t line, int64_t past) {
    for (; line < past; ++line) {
      const int64_t same = begin < end ? begin + map[line] - map[begin] : -1;
      if (same >= begin && same < end)
        copy_bytes(to + line * out, to + same * out, out * static_cast<int64_t>(sizeof(T)));
      else pad_lines(shape, from + map[line] * in, to + line * out, 1);
    }
  };
  pad_others(first, begin);
  pad_others(end, last);
}

}  // namespace

static void pad_edges_kernel(const PaddedShape& dims, const Tensor& input, const Tensor& result,
                             const char* op) {
  const MappedShape shape(dims);
  dispatch_types<NumberTypes>(input.scalar_type(), op, [&]<typename T>(TypeTag<T>) {
    if (is_empty(shape)) return;
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t in = shape.in[1] * shape.in[2], rows = shape.out[1], out = shape.out[2];
    const bool single = shape.in[0] * shape.in[1] * shape.out[0] * rows == 1;
    parallel_for(0, shape.outer * shape.out[0] * rows, 1 + kGrainSize / out,
                 [&](int64_t begin, int64_t end) {
      if (single) return pad_lines(shape, from + begin * in, to + begin * out, end - begin);
      for (int64_t line = begin; line < end;) {
        const int64_t plane = line / rows, first = line - plane * rows,
                      last = std::min(rows, first + end - line);
        const int64_t image = plane / shape.out[0], place = shape.map[0][plane % shape.out[0]];
        pad_plane(shape, from + (image * shape.in[0] + place) * in, to + plane * rows * out, first,
                  last);
        line += last - first;
      }
    });
  });
}

namespace {

// The gradient of short lines that do not share any: elements in the middle are copied, and those
// at the ends are added where they came from, one of many lines after the other, so that sums do
// not wait for each other.
template <typename T>
void short_lines_backward(const MappedShape& shape, const T* from, T* to) {
  using A = SumType<T>;
  const int64_t *columns = shape.columns.get(), in = shape.in[2], out = shape.out[2];
  const Middle middle = shape.middle;
  const int64_t width = middle.past - middle.first, source = shape.middle_source();
  const int64_t lines_at_once = std::max<int64_t>(16, 2048 / (in + out));
  parallel_for(0, shape.outer, kGrainSize / (in + out), [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    Widened<T> grads;
    for (int64_t first = begin; first < end; first += lines_at_once) {
      const int64_t lines = std::min(lines_at_once, end - first);
      if (width < in) std::fill_n(to + first * in, lines * in, T(0));
      if (width > 0) {
        const auto item = static_cast<int64_t>(sizeof(T));
        copy_runs(
            {reinterpret_cast<char*>(to + first * in + source), in * item,
             reinterpret_cast<const char*>(from + first * out + middle.first), out * item, lines},
            width * item);
      }
      A* sum = sums.open(to + first * in, lines * in);
      const A* g = grads.read(from + first * out, lines * out);
      for (int64_t c = 0; c < out; ++c) {
        if (c == middle.first) c += width;
        if (c >= out) break;
        A* place = sum + columns[c];
#pragma GCC ivdep
        for (int64_t line = 0; line < lines; ++line) place[line * in] += g[line * out + c];
      }
      sums.close();
    }
  });
}

// The gradient of small planes: where each element came from is the same in all of them.
template <typename T>
void small_planes_backward(const MappedShape& shape, const T* from, T* to) {
  std::vector<int32_t> table;
  for (int64_t plane : shape.map[0]) {
    for (int64_t row : shape.map[1]) {
      for (int64_t c = 0; c < shape.out[2]; ++c)
        table.push_back(
            static_cast<int32_t>((plane * shape.in[1] + row) * shape.in[2] + shape.columns[c]));
    }
  }
  const int64_t in = shape.in[0] * shape.in[1] * shape.in[2];
  const auto out = static_cast<int64_t>(table.size());
  parallel_for(0, shape.outer, std::max<int64_t>(1, kGrainSize / 2 / (in + out)),
               [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    Widened<T> grads;
    const int32_t* place = table.data();
    for (int64_t o = begin; o < end; ++o) {
      SumType<T>* sum = sums.open_zeros(to + o * in, in);
      const SumType<T>* g = grads.read(from + o * out, out);
      for (int64_t i = 0; i < out; ++i) sum[place[i]] += g[i];
      sums.close();
    }
  });
}

// Whether planes are so small that a table of their elements is short, and lines too short to be
// walked.
bool has_small_planes(const PaddedShape& s) {
  constexpr int64_t kMaxPlane = 4096, kFewPlanes = 8;
  return s.out[2] < kShortLine && s.out[0] * s.out[1] * s.out[2] <= kMaxPlane &&
         s.in[0] * s.in[1] * s.in[2] <= kMaxPlane && s.outer >= kFewPlanes;
}

}  // namespace

static void pad_edges_backward_kernel(const PaddedShape& dims, const Tensor& grad,
                                      const Tensor& result, const char* op) {
  const MappedShape shape(dims);
  dispatch_types<FloatingAndReduced, ComplexTypes>(grad.scalar_type(), op,
                                                   [&]<typename T>(TypeTag<T>) {
    if (is_empty(shape)) return;
    using A = SumType<T>;
    const T* from = static_cast<const T*>(grad.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const int64_t* columns = shape.columns.get();
    const int64_t in = shape.in[2], out = shape.out[2];
    const bool single = shape.in[0] * shape.in[1] * shape.out[0] * shape.out[1] == 1;
    if (single && out < kShortLine) return short_lines_backward(shape, from, to);
    if (has_small_planes(shape)) return small_planes_backward(shape, from, to);
    const Middle middle = shape.middle;
    const int64_t source = shape.middle_source();
    // Adds a line of the gradient to sums, or begins them with it.
    auto add_line = [&](const A* line, A* sums, auto begins) {
      if (out < kShortLine) {
        if constexpr (begins) std::fill_n(sums, in, A(0));
        for (int64_t c = 0; c < out; ++c) sums[columns[c]] += line[c];
        return;
      }
      const A* center = line + middle.first;
      A* center_sums = sums + source;
      const int64_t width = middle.past - middle.first;
      if constexpr (begins) {
        for (int64_t c = 0; c < source; ++c) sums[c] = A(0);
#pragma GCC ivdep
        for (int64_t c = 0; c < width; ++c) center_sums[c] = center[c];
        for (int64_t c = source + width; c < in; ++c) sums[c] = A(0);
      } else {
#pragma GCC ivdep
        for (int64_t c = 0; c < width; ++c) center_sums[c] += center[c];
      }
      for (int64_t c = 0; c < middle.first; ++c) sums[columns[c]] += line[c];
      for (int64_t c = middle.past; c < out; ++c) sums[columns[c]] += line[c];
    };
    const Copies planes(shape.map[0], shape.in[0]), rows(shape.map[1], shape.in[1]);
    auto grad_line = [&](int64_t o, int64_t plane, int64_t row) {
      return from + ((o * shape.out[0] + plane) * shape.out[1] + row) * out;
    };
    const bool whole_lines = middle.past - middle.first == out && in == out;
    // Lines of a half type are summed in memory that a thread keeps.
    const auto make = [&] {
      return [&, wide = std::vector<A>(kSumsAreWide<T> ? in + out : 0)](
                 int64_t line, int64_t a, int64_t b, int64_t o) mutable {
        if (planes.count(a) == 1 && rows.count(b) == 1) {
          const T* g = grad_line(o, planes.place[planes.first[a]], rows.place[rows.first[b]]);
          if (whole_lines) {
            copy_bytes(to + line * in, g, in * static_cast<int64_t>(sizeof(T)));
            return;
          }
          if constexpr (!kSumsAreWide<T>) return add_line(g, to + line * in, std::true_type());
        }
        A* sums;
        if constexpr (kSumsAreWide<T>) {
          sums = wide.data();
        } else {
          sums = to + line * in;
        }
        std::fill_n(sums, in, A(0));
        planes.each(a, [&](int64_t plane) {
          rows.each(b, [&](int64_t row) {
            const T* g = grad_line(o, plane, row);
            if constexpr (kSumsAreWide<T>) {
              convert_run(g, sums + in, out);
              add_line(sums + in, sums, std::false_type());
            } else {
              add_line(g, sums, std::false_type());
            }
          });
        });
        if constexpr (kSumsAreWide<T>) convert_run(static_cast<const A*>(sums), to + line * in, in);
      };
    };
    for_each_line(shape.outer, shape.in, 1 + kGrainSize / (in + out), make);
  });
}

REGISTER_DISPATCH(pad_edges_stub, &pad_edges_kernel)
REGISTER_DISPATCH(pad_edges_backward_stub, &pad_edges_backward_kernel)

}  // namespace at::native
