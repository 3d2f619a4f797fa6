// Connectionist temporal classification: the forward and backward recursions over time.
//
// Equations are those of Graves et al. 2006. A target of n labels has 2n + 1 states: a blank
// before, between and after the labels. Odd states are labels. All values are logarithms.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/loss/log_sums.h>
#include <ATen/ops/_ctc_loss_backward_native.h>
#include <ATen/ops/_ctc_loss_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace at::native {
namespace {

// The targets of a batch, with the offset of each.
struct Targets {
  Targets(const Tensor& targets, IntArrayRef lengths, int64_t blank, int64_t classes)
      : dense(at::contiguous(targets.scalar_type() == kLong ? targets
                                                            : at::_to_copy(targets, kLong))),
        lengths(lengths),
        blank(blank) {
    data = static_cast<const int64_t*>(dense.data_ptr());
    int64_t next = 0;
    for (size_t b = 0; b < lengths.size(); ++b) {
      begin.push_back(dense.dim() == 1 ? next : static_cast<int64_t>(b) * dense.sizes()[1]);
      next += lengths[b];
      for (int64_t k = 0; k < lengths[b]; ++k) {
        int64_t label = data[begin[b] + k];
        TORCH_CHECK(label >= 0 && label < classes, "ctc_loss: target ", label, " of sample ", b,
                    " is not a class, from 0 to ", classes - 1);
      }
    }
  }
  int64_t states(int64_t b) const { return 2 * lengths[static_cast<size_t>(b)] + 1; }
  int64_t label(int64_t b, int64_t state) const {
    return state % 2 ? data[begin[static_cast<size_t>(b)] + state / 2] : blank;
  }
  // Whether a path may go from state s - 2 to state s: not over a blank that separates equal
  // labels.
  bool skips(int64_t b, int64_t s) const {
    return s > 1 && s % 2 && label(b, s) != label(b, s - 2);
  }

  Tensor dense;
  IntArrayRef lengths;
  int64_t blank;
  const int64_t* data;
  std::vector<int64_t> begin;
};

// The log probabilities, (time, batch, classes), in any layout: the recursion reads few of them.
template <typename T>
struct Probabilities {
  explicit Probabilities(const Tensor& t)
      : data(static_cast<const T*>(t.data_ptr())), strides(t.strides()), classes(t.sizes()[2]) {}
  int64_t offset(int64_t t, int64_t b) const { return t * strides[0] + b * strides[1]; }
  T at(int64_t t, int64_t b, int64_t label) const {
    return data[offset(t, b) + label * strides[2]];
  }

  const T* data;
  IntArrayRef strides;
  int64_t classes;
};

template <typename T>
T forward_one(const Probabilities<T>& probs, const Targets& targets, int64_t b, int64_t time,
              T* alpha, int64_t stride) {
  const int64_t states = targets.states(b);
  if (time == 0) return states == 1 ? T(0) : -kNever<T>;
  alpha[0] = probs.at(0, b, targets.blank);
  if (states > 1) alpha[1] = probs.at(0, b, targets.label(b, 1));
  for (int64_t t = 1; t < time; ++t) {
    const T* last = alpha + (t - 1) * stride;
    T* now = alpha + t * stride;
    for (int64_t s = 0; s < states; ++s) {
      T before = s > 0 ? last[s - 1] : kNever<T>;
      now[s] =
          (targets.skips(b, s) ? log_add(last[s], before, last[s - 2]) : log_add(last[s], before)) +
          probs.at(t, b, targets.label(b, s));
    }
  }
  const T* end = alpha + (time - 1) * stride;
  return -log_add(end[states - 1], states > 1 ? end[states - 2] : kNever<T>);
}

// Probabilities are dense, as are their gradients.
template <typename T>
void backward_one(const Probabilities<T>& probs, const Targets& targets, int64_t b, int64_t time,
                  const T* alpha, int64_t stride, T loss, T factor, T* grad) {
  const int64_t states = targets.states(b), classes = probs.classes;
  std::vector<T> beta(static_cast<size_t>(states), kNever<T>), next(beta),
      sums(static_cast<size_t>(classes));
  for (int64_t t = time - 1; t >= 0; --t) {
    const T* p = probs.data + probs.offset(t, b);
    for (int64_t s = 0; s < states; ++s) {
      const auto k = static_cast<size_t>(s);
      T own;
      if (t == time - 1) {
        own = s >= states - 2 ? T(0) : kNever<T>;
      } else {
        T after = s + 1 < states ? next[k + 1] : kNever<T>;
        own = s + 2 < states && targets.skips(b, s + 2) ? log_add(next[k], after, next[k + 2])
                                                        : log_add(next[k], after);
      }
      beta[k] = own + p[targets.label(b, s)];
    }
    std::fill(sums.begin(), sums.end(), kNever<T>);
    for (int64_t s = 0; s < states; ++s) {
      T& sum = sums[static_cast<size_t>(targets.label(b, s))];
      sum = log_add(sum, alpha[t * stride + s] + beta[static_cast<size_t>(s)]);
    }
    T* g = grad + probs.offset(t, b);
    for (int64_t c = 0; c < classes; ++c)
      g[c] = (std::exp(p[c]) - std::exp(sums[static_cast<size_t>(c)] + loss - p[c])) * factor;
    beta.swap(next);
  }
}

}  // namespace

static void ctc_loss_kernel(const Tensor& log_probs, const Tensor& targets_,
                            IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank,
                            bool, const Tensor& loss, const Tensor& log_alpha) {
  const Targets targets(targets_, target_lengths, blank, log_probs.sizes()[2]);
  const int64_t stride = log_alpha.sizes()[2], time = log_probs.sizes()[0];
  dispatch_types<FloatingTypes>(log_probs.scalar_type(), "ctc_loss_cpu",
                                [&]<typename T>(TypeTag<T>) {
    const Probabilities<T> probs(log_probs);
    T *out = static_cast<T*>(loss.data_ptr()), *alpha = static_cast<T*>(log_alpha.data_ptr());
    parallel_for(0, loss.numel(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* own = alpha + b * time * stride;
        // Steps past the input's length have no values.
        const int64_t used = input_lengths[static_cast<size_t>(b)];
        std::fill_n(own, used * stride, kNever<T>);
        out[b] = forward_one(probs, targets, b, used, own, stride);
      }
    });
  });
}

static void ctc_loss_backward_kernel(const Tensor& grad, const Tensor& log_probs,
                                     const Tensor& targets_, IntArrayRef input_lengths,
                                     IntArrayRef target_lengths, const Tensor& neg_log_likelihood,
                                     const Tensor& log_alpha, int64_t blank, bool zero_infinity,
                                     const Tensor& output) {
  Tensor dense = at::contiguous(log_probs), factors = at::contiguous(grad),
         losses = at::contiguous(neg_log_likelihood), alphas = at::contiguous(log_alpha);
  const Targets targets(targets_, target_lengths, blank, log_probs.sizes()[2]);
  const int64_t stride = alphas.sizes()[2], time = log_probs.sizes()[0];
  dispatch_types<FloatingTypes>(log_probs.scalar_type(), "ctc_loss_backward_cpu",
                                [&]<typename T>(TypeTag<T>) {
    const Probabilities<T> probs(dense);
    const T *factor = static_cast<const T*>(factors.data_ptr()),
            *loss = static_cast<const T*>(losses.data_ptr()),
            *alpha = static_cast<const T*>(alphas.data_ptr());
    T* out = static_cast<T*>(output.data_ptr());
    parallel_for(0, losses.numel(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const bool skipped = zero_infinity && loss[b] == -kNever<T>;
        const int64_t used = skipped ? 0 : input_lengths[static_cast<size_t>(b)];
        backward_one(probs, targets, b, used, alpha + b * time * stride, stride, loss[b], factor[b],
                     out);
        for (int64_t t = used; t < time; ++t)
          std::fill_n(out + probs.offset(t, b), probs.classes, T(0));
      }
    });
  });
}

REGISTER_DISPATCH(_ctc_loss_stub, &ctc_loss_kernel)
REGISTER_DISPATCH(_ctc_loss_backward_stub, &ctc_loss_backward_kernel)

}  // namespace at::native
