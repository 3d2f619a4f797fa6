// index and index_put: TensorIterator walks the result, and byte offsets select the elements of the
// indexed tensor.

#include <cstring>

#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/Float8.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/indexing/indexing.h>

namespace at::native {
namespace {

template <typename T>
inline void copy_run(char* to, const char* from, int64_t ts, int64_t fs, int64_t n) {
  constexpr int64_t S = sizeof(T);
  if (ts == S && fs == S) {
    if (n * S <= 64) {
      for (int64_t i = 0; i < n; ++i)
        reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(from)[i];
    } else {
      copy_bytes(to, from, n * S);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(to + i * ts) = *reinterpret_cast<const T*>(from + i * fs);
}

// `Put`: whether the offsets apply to the operand that is written.
template <typename T, bool Put>
void move_elements(char** data, const int64_t* st, int64_t n0, int64_t n1) {
  constexpr int64_t S = sizeof(T);
  for (int64_t j = 0; j < n1; ++j) {
    char* to = data[0] + j * st[3];
    const char* from = data[1] + j * st[4];
    const char* at = data[2] + j * st[5];
    if (st[2] == 0) {
      int64_t offset = *reinterpret_cast<const int64_t*>(at);
      copy_run<T>(to + (Put ? offset : 0), from + (Put ? 0 : offset), st[0], st[1], n0);
    } else if (st[2] == 8 && st[Put ? 1 : 0] == S && st[Put ? 0 : 1] == 0) {
      const int64_t* offsets = reinterpret_cast<const int64_t*>(at);
      for (int64_t i = 0; i < n0; ++i) {
        if constexpr (Put) {
          *reinterpret_cast<T*>(to + offsets[i]) = reinterpret_cast<const T*>(from)[i];
        } else {
          reinterpret_cast<T*>(to)[i] = *reinterpret_cast<const T*>(from + offsets[i]);
        }
      }
    } else {
      for (int64_t i = 0; i < n0; ++i) {
        int64_t offset = *reinterpret_cast<const int64_t*>(at + i * st[2]);
        *reinterpret_cast<T*>(to + i * st[0] + (Put ? offset : 0)) =
            *reinterpret_cast<const T*>(from + i * st[1] + (Put ? 0 : offset));
      }
    }
  }
}

constexpr int64_t kIndexGrain = 8192;

}  // namespace

static void index_kernel(TensorIteratorBase& iter) {
  by_size(elementSize(iter.dtype(0)),
          [&](auto tag) { iter.for_each(&move_elements<decltype(tag), false>, kIndexGrain); });
}

static void index_put_kernel(TensorIteratorBase& iter) {
  by_size(elementSize(iter.dtype(0)),
          [&](auto tag) { iter.for_each(&move_elements<decltype(tag), true>, kIndexGrain); });
}

namespace {

// Few additions to a type that is not accumulated in itself: sorted by offset.
template <typename T>
void accumulate_sorted(TensorIteratorBase& iter) {
  std::vector<T*> targets;
  std::vector<T> values;
  iter.serial_for_each([&](char** data, const int64_t* st, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      for (int64_t i = 0; i < n0; ++i) {
        int64_t offset = *reinterpret_cast<const int64_t*>(data[2] + j * st[5] + i * st[2]);
        targets.push_back(reinterpret_cast<T*>(data[0] + j * st[3] + i * st[0] + offset));
        values.push_back(*reinterpret_cast<const T*>(data[1] + j * st[4] + i * st[1]));
      }
    }
  }, 0, iter.numel());
  auto order = sorted_by_index(static_cast<int64_t>(targets.size()),
                               [&](int64_t k) { return reinterpret_cast<intptr_t>(targets[k]); });
  for (size_t i = 0; i < order.size();) {
    T* target = reinterpret_cast<T*>(order[i].first);
    auto sum = static_cast<SumType<T>>(*target);
    for (; i < order.size() && reinterpret_cast<T*>(order[i].first) == target; ++i)
      sum += static_cast<SumType<T>>(values[order[i].second]);
    *target = static_cast<T>(sum);
  }
}

}  // namespace

// On this thread: offsets may repeat.
static void index_put_accumulate_kernel(TensorIteratorBase& iter) {
  dispatch_types<NumberTypes, bool, c10::complex<c10::Half>, SignedFloat8Types>(
      iter.dtype(0), "index_put", [&]<typename T>(TypeTag<T>) {
    if constexpr (kSumsAreWide<T>) return accumulate_sorted<T>(iter);
    iter.serial_for_each([](char** data, const int64_t* st, int64_t n0, int64_t n1) {
      for (int64_t j = 0; j < n1; ++j) {
        char* to = data[0] + j * st[3];
        const char* from = data[1] + j * st[4];
        const char* at = data[2] + j * st[5];
        if (st[2] == 0 && st[0] == sizeof(T) && st[1] == sizeof(T)) {
          T* row = reinterpret_cast<T*>(to + *reinterpret_cast<const int64_t*>(at));
          const T* add = reinterpret_cast<const T*>(from);
#pragma GCC ivdep
          for (int64_t i = 0; i < n0; ++i) row[i] = wrapping_sum(row[i], add[i]);
          continue;
        }
        for (int64_t i = 0; i < n0; ++i) {
          T* target = reinterpret_cast<T*>(to + i * st[0] +
                                           *reinterpret_cast<const int64_t*>(at + i * st[2]));
          *target = wrapping_sum(*target, *reinterpret_cast<const T*>(from + i * st[1]));
        }
      }
    }, 0, iter.numel());
  });
}

REGISTER_DISPATCH(index_stub, &index_kernel)
REGISTER_DISPATCH(index_put_stub, &index_put_kernel)
REGISTER_DISPATCH(index_put_accumulate_stub, &index_put_accumulate_kernel)

}  // namespace at::native
