// Runs of equal values: their first values, their lengths, and the run of each value. NaN equals
// nothing, so that it is a run of its own.

#include <algorithm>
#include <numeric>
#include <vector>

#include <ATen/native/common/Pieces.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/unique/unique.h>

namespace at::native {
namespace {

template <typename T>
int64_t count_runs(const T* values, int64_t begin, int64_t end) {
  int64_t total = 0;
  if (begin == 0 && end > 0) total = begin = 1;
  while (begin < end) {
    // Counters as wide as the values, and short enough not to overflow in bytes.
    const int64_t stop = std::min(end, begin + 127);
    UnsignedOfSize<sizeof(T)> found = 0;
    for (; begin < stop; ++begin) found += values[begin] != values[begin - 1];
    total += static_cast<int64_t>(found);
  }
  return total;
}

// Writes the first value of each run. If `nearly_all` values begin one, that is predicted.
template <typename T>
void write_firsts(const T* values, int64_t n, bool nearly_all, T* to) {
  T last = values[0], first = last;
  *to = first;
  if (nearly_all) {
    for (int64_t k = 1; k < n; ++k) {
      const T value = values[k];
      if (value != last) *++to = value;
      last = value;
    }
    return;
  }
  for (int64_t k = 1; k < n; ++k) {
    const T value = values[k];
    const bool begins = value != last;
    first = begins ? value : first;
    to += begins;
    *to = first;
    last = value;
  }
}

// What is written about runs. Null where it is not asked for.
template <typename T>
struct RunResults {
  T* firsts;
  int64_t* lengths;
  int64_t* numbers;       // of value i, at places[i]
  const int64_t* places;  // null: at i

  template <bool kLengths, bool kNumbers>
  void note(int64_t i, int64_t run, int64_t length) const {
    if constexpr (kLengths) lengths[run] = length;
    if constexpr (kNumbers) numbers[places ? places[i] : i] = run;
  }

  // Walks values begin to end, `before` of whose runs begin before, and `after` before end. Returns
  // how many of them continue the run before. From the last to the first, so that what is written
  // for each value of a run ends with what holds for the first. There is no branch, unless few
  // values begin a run or most do: where runs begin cannot be predicted.
  template <bool kLengths, bool kNumbers>
  int64_t walk(const T* values, int64_t begin, int64_t end, int64_t before, int64_t after) const {
    int64_t i = begin;
    for (; i < end && i > 0 && values[i] == values[i - 1]; ++i)
      note<false, kNumbers>(i, before - 1, 0);
    const int64_t continued = i - begin;
    if (i == end) return continued;
    int64_t run = after - 1, stop = end;
    const int64_t runs = after - before, quarter = (end - begin) / 4;
    if (!kLengths && !kNumbers && runs >= quarter / 2) {
      write_firsts(values + i, end - i, runs > 15 * (end - begin) / 16, firsts + before);
      return continued;
    }
    if (runs < quarter / 2 || runs > 3 * quarter) {
      for (int64_t k = end - 1; k > i; --k) {
        note<false, kNumbers>(k, run, 0);
        if (values[k] == values[k - 1]) continue;
        firsts[run] = values[k];
        note<kLengths, false>(k, run, stop - k);
        --run;
        stop = k;
      }
    } else {
      for (int64_t k = end - 1; k > i; --k) {
        firsts[run] = values[k];
        note<kLengths, kNumbers>(k, run, stop - k);
        const int64_t begins = values[k] != values[k - 1];
        run -= begins;
        stop ^= (stop ^ k) & -begins;
      }
    }
    firsts[run] = values[i];
    note<kLengths, kNumbers>(i, run, stop - i);
    return continued;
  }
  int64_t walk(const T* values, int64_t begin, int64_t end, int64_t before, int64_t after) const {
    if (lengths && numbers) return walk<true, true>(values, begin, end, before, after);
    if (lengths) return walk<true, false>(values, begin, end, before, after);
    if (numbers) return walk<false, true>(values, begin, end, before, after);
    return walk<false, false>(values, begin, end, before, after);
  }
};

}  // namespace

static UniqueResult unique_runs_kernel(const Tensor& self, const Tensor& values,
                                       const Tensor& order, bool return_inverse,
                                       bool return_counts) {
  const Pieces pieces = Pieces::for_threads(values.numel());
  auto longs = [](const Tensor& t) { return static_cast<int64_t*>(t.data_ptr()); };
  Tensor firsts, counts,
      inverse = empty_tensor(return_inverse ? self.sizes() : IntArrayRef({0}), kLong);
  dispatch_types<RealTypes, bool, UnsignedTypes>(values.scalar_type(), "unique",
                                                 [&]<typename T>(TypeTag<T>) {
    const T* data = static_cast<const T*>(values.data_ptr());
    std::vector<int64_t> before(static_cast<size_t>(pieces.count) + 1), continued(before.size());
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      before[p + 1] = count_runs(data, begin, end);
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    firsts = empty_tensor({before.back()}, values.scalar_type());
    counts = empty_tensor({return_counts ? before.back() : 0}, kLong);
    const RunResults<T> results{static_cast<T*>(firsts.data_ptr()),
                                return_counts ? longs(counts) : nullptr,
                                return_inverse ? longs(inverse) : nullptr,
                                return_inverse && order.defined() ? longs(order) : nullptr};
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      continued[p] = results.walk(data, begin, end, before[p], before[p + 1]);
    });
    for (int64_t p = 1; p < pieces.count && return_counts; ++p)
      results.lengths[before[p] - 1] += continued[p];
  });
  return {firsts, inverse, counts};
}

REGISTER_DISPATCH(unique_runs_stub, &unique_runs_kernel)

}  // namespace at::native
