// No #pragma once, like ducc.h, which must come first.
//
// Transforms of rows that the caches hold. Rows are taken in groups, one row in each lane of a
// vector; single rows use DUCC's plans for one row. The groups run in parallel.

#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/fft/cpu/plan_cache.h>
#include <ATen/native/fft/cpu/real_radix.h>
#include <ATen/native/fft/cpu/rows.h>

namespace at::native {
namespace {

namespace fft = ducc0::detail_fft;

template <typename T>
using Lanes = fft::fft1d_simd<T>;
template <typename T>
constexpr int kLanes = static_cast<int>(fft::fft1d_simdlen<T>);

// A group of rows in lanes must not take more memory than this.
constexpr int64_t kMaxGroupBytes = int64_t(1) << 25;
// Points of a transform that are worth a thread.
constexpr int64_t kGrainPoints = 8192;

// Whether there are enough rows for the lanes, and the caches hold a group of them.
template <typename T>
bool takes_lanes(int64_t n, int64_t rows) {
  return 2 * rows >= kLanes<T> && 4 * n * kLanes<T> * int64_t(sizeof(T)) <= kMaxGroupBytes;
}

template <typename T>
struct Job {
  FFTKind kind;
  int64_t n;  // points of the transform
  T* in;
  T* out;
  int64_t in_stride, out_stride;
  T scale;
  bool forward;
};

// The values of one row in the order of DUCC's real transforms: r0, r1, i1, r2, i2, ... For even n,
// the last is real.
template <typename T>
void read_half(const T* in, int64_t stride, int64_t n, T* row) {
  row[0] = in[0];
  for (int64_t k = 1; 2 * k <= n; ++k) {
    row[2 * k - 1] = in[2 * k * stride];
    if (2 * k < n) row[2 * k] = in[2 * k * stride + 1];
  }
}

template <typename T>
void write_half(const T* row, int64_t n, T* out, int64_t stride) {
  out[0] = row[0];
  out[1] = 0;
  for (int64_t k = 1; 2 * k <= n; ++k) {
    out[2 * k * stride] = row[2 * k - 1];
    out[2 * k * stride + 1] = 2 * k < n ? row[2 * k] : T(0);
  }
}

// --- one row at a time ---------------------------------------------------------------------------

template <typename T>
void transform_row(const Job<T>& job, const fft::pocketfft_c<T>& plan, int64_t from, int64_t to,
                   ducc0::Cmplx<T>* row, ducc0::Cmplx<T>* scratch) {
  auto in = reinterpret_cast<const ducc0::Cmplx<T>*>(job.in) + from;
  auto out = reinterpret_cast<ducc0::Cmplx<T>*>(job.out) + to;
  if (job.out_stride == 1) row = out;
  if (job.in_stride == 1) {
    if (row != in) std::memmove(row, in, job.n * sizeof(*row));
  } else {
    for (int64_t i = 0; i < job.n; ++i) row[i] = in[i * job.in_stride];
  }
  const auto* result = plan.exec(row, scratch, job.scale, job.forward);
  if (job.out_stride == 1) {
    if (result != out) std::memcpy(out, result, job.n * sizeof(*out));
  } else {
    for (int64_t i = 0; i < job.n; ++i) out[i * job.out_stride] = result[i];
  }
}

template <typename T>
void transform_row(const Job<T>& job, const fft::pocketfft_r<T>& plan, int64_t from, int64_t to,
                   T* row, T* scratch) {
  if (job.kind == FFTKind::r2c) {
    const T* in = job.in + from;
    for (int64_t i = 0; i < job.n; ++i) row[i] = in[i * job.in_stride];
    write_half(plan.exec(row, scratch, job.scale, true), job.n, job.out + 2 * to, job.out_stride);
  } else {
    T* out = job.out + to;
    read_half(job.in + 2 * from, job.in_stride, job.n, row);
    const T* result = plan.exec(row, scratch, job.scale, false);
    for (int64_t i = 0; i < job.n; ++i) out[i * job.out_stride] = result[i];
  }
}

// --- a row in each lane --------------------------------------------------------------------------

template <typename T, int L, int In, int Out>
struct Group {
  Side<T, L, In> in;
  Side<T, L, Out> out;

  Group(const Job<T>& job, const FFTRows& rows, int64_t first, int count) {
    in.base = job.in;
    in.stride = job.in_stride;
    out.base = job.out;
    out.stride = job.out_stride;
    rows.offsets(first, count, in.offsets, out.offsets);
    in.finish(count);
    out.finish(count);
  }
};

// Works for every plan of L complex transforms at once.
template <int L, typename T, typename Plan, typename Unit>
void transform_group(const Job<T>& job, const Plan& plan, const FFTRows& rows, int64_t first,
                     int count, Unit* work, Unit* scratch) {
  const Group<T, L, 2, 2> g(job, rows, first, count);
  T* lanes = reinterpret_cast<T*>(work);
  g.in.read_all(job.n, lanes);
  g.out.write_all(job.n,
                  reinterpret_cast<const T*>(plan.exec(work, scratch, job.scale, job.forward)));
}

template <int L, typename T>
void transform_group(const Job<T>& job, const fft::pocketfft_r<T>& plan, const FFTRows& rows,
                     int64_t first, int count, Lanes<T>* work, Lanes<T>* scratch) {
  const int64_t n = job.n;
  T* lanes = reinterpret_cast<T*>(work);
  if (job.kind == FFTKind::r2c) {
    const Group<T, L, 1, 2> g(job, rows, first, count);
    g.in.read_all(n, lanes);
    const T* result = reinterpret_cast<const T*>(plan.exec(work, scratch, job.scale, true));
    g.out.write(0, result, nullptr);
    if (job.out_stride == 1) {
      lanes_to_rows<T, L>(result + L, n - 1, g.out.rows(2), count);
      if (n % 2 == 0) {
        for (int l = 0; l < count; ++l) g.out.at(l, n / 2)[1] = 0;
      }
    } else {
      for (int64_t k = 1; 2 * k <= n; ++k)
        g.out.write(k, result + (2 * k - 1) * L, 2 * k < n ? result + 2 * k * L : nullptr);
    }
  } else {
    const Group<T, L, 2, 1> g(job, rows, first, count);
    g.in.read(0, lanes, nullptr);
    if (job.in_stride == 1) {
      rows_to_lanes<T, L>(g.in.const_rows(2), n - 1, lanes + L);
    } else {
      for (int64_t k = 1; 2 * k <= n; ++k)
        g.in.read(k, lanes + (2 * k - 1) * L, 2 * k < n ? lanes + 2 * k * L : nullptr);
    }
    g.out.write_all(n, reinterpret_cast<const T*>(plan.exec(work, scratch, job.scale, false)));
  }
}

template <int L, typename T, typename Unit>
void transform_group(const Job<T>& job, const RealRadixPlan<T>& plan, const FFTRows& rows,
                     int64_t first, int count, Unit* work, Unit* scratch) {
  const int64_t n = job.n;
  T* lanes = reinterpret_cast<T*>(work);
  if (job.kind == FFTKind::r2c) {
    const Group<T, L, 1, 2> g(job, rows, first, count);
    g.in.read_all(n, lanes);
    g.out.write_all(n / 2 + 1, reinterpret_cast<const T*>(plan.forward(work, scratch, job.scale)));
  } else {
    const Group<T, L, 2, 1> g(job, rows, first, count);
    g.in.read_all(n / 2 + 1, lanes);
    g.out.write_all(
        n, reinterpret_cast<const T*>(plan.backward(work, scratch, scratch + n / 2, job.scale)));
  }
}

// --- all rows ------------------------------------------------------------------------------------

// `Unit<V>` is what a plan computes on, for numbers of type V.
template <template <typename> class Unit, typename Plan, typename T>
void transform_rows(PlanCache<Plan>& plans, const Job<T>& job, const FFTRows& rows) {
  constexpr int L = kLanes<T>;
  const int64_t count = rows.count();
  const bool in_lanes = takes_lanes<T>(job.n, count);
  const int64_t group = in_lanes ? L : 1;
  const auto plan = plans.get(job.n, !in_lanes);
  const int64_t grain = std::max<int64_t>(1, kGrainPoints / (job.n * group));
  parallel_for(0, divup(count, group), grain, [&](int64_t begin, int64_t end) {
    auto run = [&](auto unit, auto&& transform) {
      ducc0::aligned_array<decltype(unit)> memory(job.n + plan->bufsize());
      for (int64_t g = begin; g < end; ++g)
        transform(g * group, memory.data(), memory.data() + job.n);
    };
    if (!in_lanes) {
      run(Unit<T>{}, [&](int64_t row, auto* work, auto* scratch) {
        int64_t from, to;
        rows.offsets(row, 1, &from, &to);
        transform_row<T>(job, *plan, from, to, work, scratch);
      });
    } else if constexpr (L > 1) {
      run(Unit<Lanes<T>>{}, [&](int64_t row, auto* work, auto* scratch) {
        transform_group<L>(job, *plan, rows, row,
                           static_cast<int>(std::min<int64_t>(L, count - row)), work, scratch);
      });
    }
  });
}

// Groups whose length is a power of two.
template <typename Plan, typename T>
void transform_powers_of_two(PlanCache<Plan>& plans, const Job<T>& job, const FFTRows& rows) {
  constexpr int L = Plan::kLanes;
  using Unit = typename Plan::Complex;
  const int64_t count = rows.count(), grain = std::max<int64_t>(1, kGrainPoints / (job.n * L));
  const auto plan = plans.get(job.n, false);
  parallel_for(0, divup(count, L), grain, [&](int64_t begin, int64_t end) {
    ducc0::aligned_array<Unit> memory(job.n + plan->bufsize());
    for (int64_t g = begin; g < end; ++g) {
      const int in_group = static_cast<int>(std::min<int64_t>(L, count - g * L));
      transform_group<L>(job, *plan, rows, g * L, in_group, memory.data(), memory.data() + job.n);
    }
  });
}

template <typename V>
using Real = V;
template <typename V>
using Complex = ducc0::Cmplx<V>;

template <typename T>
void transform_complex(const Job<T>& job, const FFTRows& rows) {
  static PlanCache<RadixPlan<T>> radix_plans;
  static PlanCache<fft::pocketfft_c<T>> plans;
  if (RadixPlan<T>::takes(job.n) && 2 * rows.count() >= RadixPlan<T>::kLanes) {
    transform_powers_of_two(radix_plans, job, rows);
  } else {
    transform_rows<Complex>(plans, job, rows);
  }
}

}  // namespace
}  // namespace at::native
