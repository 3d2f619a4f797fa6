// No #pragma once, like ducc.h, which must come first.
//
// A transform along one dimension of a tensor.

namespace at::native {
namespace {

// f(in, out, buffer) for each row; `buffer` has room for `size` complex numbers. `in_item` and
// `out_item` numbers make an element.
template <typename T, typename F>
void for_each_long_row(const Job<T>& job, const FFTRows& rows, int in_item, int out_item,
                       size_t size, const F& f) {
  parallel_for(0, rows.count(), 1, [&](int64_t begin, int64_t end) {
    const Scratch<ducc0::Cmplx<T>> buffer(size);
    for (int64_t row = begin; row < end; ++row) {
      int64_t from, to;
      rows.offsets(row, 1, &from, &to);
      f(job.in + in_item * from, job.out + out_item * to, buffer.get());
    }
  });
}

template <typename T>
void transform_long(const LongPlan<T>& plan, const Job<T>& job, const FFTRows& rows) {
  for_each_long_row(job, rows, 2, 2, plan.bufsize(), [&](T* in, T* out, ducc0::Cmplx<T>* buffer) {
    Job<T> row = job;
    row.in = in;
    row.out = out;
    plan.exec(row, buffer);
  });
}

// From this length on, DUCC's real transforms are slower, unless they are convolutions.
constexpr int64_t kLongReal = 1 << 18;

// Real numbers of even length are complex ones of half the length, as in real_radix.h.
template <typename T>
void transform_long_even(const LongPlan<T>& plan, const Job<T>& job, const FFTRows& rows) {
  const int64_t m = job.n / 2;
  const Roots<T> roots(job.n);
  const Job<T> complex{FFTKind::c2c, m, nullptr, nullptr, 1, 1, job.scale, job.forward};
  if (job.kind == FFTKind::r2c) {
    for_each_long_row(job, rows, 1, 2, m + 1 + plan.bufsize(),
                      [&](T* in, T* out, ducc0::Cmplx<T>* z) {
      Job<T> half = complex;
      half.in = in;
      half.out = reinterpret_cast<T*>(z);
      if (job.in_stride != 1) {
        for (int64_t i = 0; i < job.n; ++i) half.out[i] = in[i * job.in_stride];
        half.in = half.out;
      }
      plan.exec(half, z + m + 1);
      const auto write = [&](int64_t k, T r, T i) {
        out[2 * k * job.out_stride] = r;
        out[2 * k * job.out_stride + 1] = i;
      };
      z[m] = z[0];
      roots.for_each(1, m / 2 + 1, true, [&](int64_t k, T c, T s) {
        const ducc0::Cmplx<T> a = z[k], b = z[m - k];
        // The transforms of the even and of the odd places.
        const T even_r = (a.r + b.r) * T(0.5), even_i = (a.i - b.i) * T(0.5);
        const T odd_r = (a.i + b.i) * T(0.5), odd_i = (b.r - a.r) * T(0.5);
        const T turned_r = odd_r * c + odd_i * s, turned_i = odd_i * c - odd_r * s;
        write(k, even_r + turned_r, even_i + turned_i);
        write(m - k, even_r - turned_r, turned_i - even_i);
      });
      write(0, z[0].r + z[0].i, 0);
      write(m, z[0].r - z[0].i, 0);
    });
  } else {
    for_each_long_row(job, rows, 2, 1, m + 1 + plan.bufsize(),
                      [&](T* in, T* out, ducc0::Cmplx<T>* z) {
      const auto read = [&](int64_t k) -> ducc0::Cmplx<T> {
        return {in[2 * k * job.in_stride], in[2 * k * job.in_stride + 1]};
      };
      roots.for_each(1, m / 2 + 1, true, [&](int64_t k, T c, T s) {
        const ducc0::Cmplx<T> a = read(k), b = read(m - k);
        const T sum_r = a.r + b.r, sum_i = a.i - b.i, less_r = a.r - b.r, less_i = a.i + b.i;
        const T turned_r = less_r * s + less_i * c, turned_i = less_r * c - less_i * s;
        z[k] = {sum_r - turned_r, sum_i + turned_i};
        z[m - k] = {sum_r + turned_r, turned_i - sum_i};
      });
      const T first = in[0], last = in[2 * m * job.in_stride];
      z[0] = {first + last, first - last};
      Job<T> half = complex;
      half.in = reinterpret_cast<T*>(z);
      half.out = job.out_stride == 1 ? out : half.in;
      plan.exec(half, z + m + 1);
      if (job.out_stride != 1) {
        for (int64_t i = 0; i < job.n; ++i) out[i * job.out_stride] = half.in[i];
      }
    });
  }
}

// Real numbers of odd length are complex ones.
template <typename T>
void transform_long_odd(const LongPlan<T>& plan, const Job<T>& job, const FFTRows& rows) {
  const int64_t n = job.n;
  const bool to_real = job.kind == FFTKind::c2r;
  for_each_long_row(job, rows, to_real ? 2 : 1, to_real ? 1 : 2, n + plan.bufsize(),
                    [&](const T* in, T* out, ducc0::Cmplx<T>* z) {
    if (to_real) {
      z[0] = {in[0], 0};
      for (int64_t k = 1; 2 * k < n; ++k) {
        const T r = in[2 * k * job.in_stride], i = in[2 * k * job.in_stride + 1];
        z[k] = {r, i};
        z[n - k] = {r, -i};
      }
    } else {
      for (int64_t k = 0; k < n; ++k) z[k] = {in[k * job.in_stride], 0};
    }
    T* const numbers = reinterpret_cast<T*>(z);
    plan.exec({FFTKind::c2c, n, numbers, numbers, 1, 1, job.scale, job.forward}, z + n);
    if (to_real) {
      for (int64_t k = 0; k < n; ++k) out[k * job.out_stride] = z[k].r;
    } else {
      for (int64_t k = 0; 2 * k < n; ++k) {
        out[2 * k * job.out_stride] = z[k].r;
        out[2 * k * job.out_stride + 1] = k == 0 ? T(0) : z[k].i;
      }
    }
  });
}

template <typename T>
void transform_dimension(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim,
                         double scale, bool forward) {
  static PlanCache<fft::pocketfft_r<T>> real_plans;
  static PlanCache<RealRadixPlan<T>> radix_plans;
  static PlanCache<LongPlan<T>> long_plans;
  const FFTRows rows(in, out, dim);
  const Job<T> job{kind,
                   kind == FFTKind::c2r ? out.size(dim) : in.size(dim),
                   static_cast<T*>(in.data_ptr()),
                   static_cast<T*>(out.data_ptr()),
                   in.stride(dim),
                   out.stride(dim),
                   static_cast<T>(scale),
                   forward};
  if (rows.count() == 0 || job.n == 0) return;
  const bool in_lanes = takes_lanes<T>(job.n, rows.count());
  if (kind == FFTKind::c2c) {
    if (!in_lanes && LongPlan<T>::takes(job.n))
      return transform_long(*long_plans.get(job.n, false), job, rows);
    return transform_complex(job, rows);
  }
  if (RealRadixPlan<T>::takes(job.n) && 2 * rows.count() >= RealRadixPlan<T>::kLanes)
    return transform_powers_of_two(radix_plans, job, rows);
  if (!in_lanes && job.n % 2 == 0 && LongPlan<T>::takes(job.n / 2) &&
      (job.n >= kLongReal || LongPlan<T>::needs_convolution(job.n / 2)))
    return transform_long_even(*long_plans.get(job.n / 2, false), job, rows);
  if (!in_lanes && job.n % 2 == 1 && LongPlan<T>::needs_convolution(job.n))
    return transform_long_odd(*long_plans.get(job.n, false), job, rows);
  transform_rows<Real>(real_plans, job, rows);
}

}  // namespace
}  // namespace at::native
