// Margin losses of classes. A row is the scores of one sample.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/loss/reduction.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/multi_margin_loss_backward_native.h>
#include <ATen/ops/multi_margin_loss_native.h>
#include <ATen/ops/multilabel_margin_loss_backward_native.h>
#include <ATen/ops/multilabel_margin_loss_forward_native.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
constexpr int64_t kNone = static_cast<int64_t>(Reduction::None);
constexpr int64_t kMean = static_cast<int64_t>(Reduction::Mean);

struct Rows {
  explicit Rows(const Tensor& self)
      : count(self.dim() == 2 ? self.sizes()[0] : 1),
        classes(self.dim() == 0 ? 1 : self.sizes().back()) {}
  int64_t grain() const { return std::max<int64_t>(1, kGrainSize / classes); }

  int64_t count, classes;
};

template <typename F>
void dispatch_scores(const Tensor& self, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(self.scalar_type(), op, f);
}

Tensor dense_output(const Tensor& out) {
  return out.is_contiguous() ? out : empty_tensor(out.sizes(), out.scalar_type());
}

void write_back(const char* op, const Tensor& out, const Tensor& dense) {
  if (!dense.is_same(out)) copy_to_output(op, const_cast<Tensor&>(out), dense);
}

// Writes loss(row) for each row, or their sum or mean.
template <typename T, typename F>
void write_losses(const Rows& rows, T* out, bool each, int64_t reduction, const F& loss) {
  std::vector<double> losses(static_cast<size_t>(each ? 0 : rows.count));
  parallel_for(0, rows.count, rows.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double value = loss(i);
      if (each) {
        out[i] = static_cast<T>(value);
      } else {
        losses[static_cast<size_t>(i)] = value;
      }
    }
  });
  if (each) return;
  double total = 0;
  for (double v : losses) total += v;
  // The mean of no rows is 0, as in PyTorch.
  *out = static_cast<T>(
      reduction == kMean && rows.count > 0 ? total / static_cast<double>(rows.count) : total);
}

// The factor of the gradient of one row, without grad_output.
double row_scale(const Rows& rows, int64_t reduction) {
  double scale = 1.0 / static_cast<double>(rows.classes);
  return reduction == kMean ? scale / static_cast<double>(rows.count) : scale;
}

// NaN counts as 0, as in PyTorch.
template <typename T>
T positive(T z) {
  return z > T(0) ? z : T(0);
}

// The sum of f(max(0, base + x)), in several sums that do not wait for each other.
template <typename T, typename F>
double hinges(const T* x, int64_t count, T base, const F& f) {
  constexpr int64_t kSums = 8;
  if (count < kSums) {
    double total = 0;
    for (int64_t i = 0; i < count; ++i) total += static_cast<double>(f(positive(base + x[i])));
    return total;
  }
  double sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t k = 0; k < kSums; ++k)
      sums[k] += static_cast<double>(f(positive(base + x[i + k])));
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(f(positive(base + x[i])));
  double total = 0;
  for (double s : sums) total += s;
  return total;
}

struct MultiMargin {
  MultiMargin(const Tensor& target, const Scalar& p, const Scalar& margin,
              const OptionalTensor& weight_, int64_t classes)
      : labels(at::contiguous(target)), p(p.toDouble()), margin(margin.toDouble()) {
    if (weight_ && weight_->defined()) weight = at::contiguous(*weight_);
    label = static_cast<const int64_t*>(labels.data_ptr());
    for (int64_t i = 0; i < labels.numel(); ++i) {
      TORCH_CHECK(label[i] >= 0 && label[i] < classes,
                  "multi_margin_loss: target out of range: ", label[i], " at position ", i,
                  ", there are ", classes, " classes");
    }
  }
  template <typename T>
  T weight_of(int64_t i) const {
    return weight.defined() ? static_cast<const T*>(weight.data_ptr())[label[i]] : T(1);
  }

  Tensor labels, weight;
  double p, margin;
  const int64_t* label;
};

// Marks the labels of a row, which end at -1, and returns how many there are.
template <typename T>
int64_t mark_labels(const int64_t* labels, int64_t classes, T* is_target) {
  std::fill_n(is_target, classes, T(0));
  for (int64_t k = 0; k < classes; ++k) {
    if (labels[k] < 0) return k;
    is_target[labels[k]] = T(1);
  }
  return classes;
}

void check_labels(const Tensor& target, int64_t classes) {
  const int64_t* label = static_cast<const int64_t*>(target.data_ptr());
  for (int64_t i = 0; i < target.numel(); ++i) {
    TORCH_CHECK(label[i] >= -1 && label[i] < classes,
                "multilabel_margin_loss: argument #2 'target' is out of range: ", label[i],
                " at position ", i, ", there are ", classes, " classes");
  }
}

}  // namespace

static void multi_margin_loss_kernel(const Tensor& self, const Tensor& target, const Scalar& p,
                                     const Scalar& margin, const OptionalTensor& weight,
                                     int64_t reduction, const Tensor& output) {
  const Rows rows(self);
  const MultiMargin loss(target, p, margin, weight, rows.classes);
  Tensor x = at::contiguous(self), dense = dense_output(output);
  dispatch_scores(self, "multi_margin_loss", [&]<typename T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    const T* weights =
        loss.weight.defined() ? static_cast<const T*>(loss.weight.data_ptr()) : nullptr;
    const int64_t classes = rows.classes;
    const int64_t* labels = loss.label;
    const T margin = static_cast<T>(loss.margin);
    const bool is_linear = loss.p == 1;
    const double scale = 1.0 / static_cast<double>(classes);
    write_losses(rows, static_cast<T*>(dense.data_ptr()), reduction == kNone, reduction,
                 [=](int64_t i) -> double {
      const T* row = in + i * classes;
      const int64_t label = labels[i];
      const T base = margin - row[label];
      // The class of the target counts too at first, so that the loop has no branch on it.
      double total = is_linear ? hinges(row, classes, base, [](T z) { return z; })
                               : hinges(row, classes, base, [](T z) { return z * z; });
      const T own = positive(base + row[label]);
      total -= static_cast<double>(is_linear ? own : own * own);
      return total * (weights ? static_cast<double>(weights[label]) : 1.0) * scale;
    });
  });
  write_back("multi_margin_loss", output, dense);
}

static void multi_margin_loss_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                              const Tensor& target, const Scalar& p,
                                              const Scalar& margin, const OptionalTensor& weight,
                                              int64_t reduction, const Tensor& output) {
  const Rows rows(self);
  const MultiMargin loss(target, p, margin, weight, rows.classes);
  Tensor x = at::contiguous(self), grad = at::contiguous(grad_output), dense = dense_output(output);
  const bool each = grad.dim() > 0 && reduction == kNone;
  dispatch_scores(self, "multi_margin_loss_backward", [&]<typename T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    const T* g = static_cast<const T*>(grad.data_ptr());
    T* out = static_cast<T*>(dense.data_ptr());
    const T scale = static_cast<T>(row_scale(rows, reduction));
    const int64_t classes = rows.classes;
    const bool is_linear = loss.p == 1;
    parallel_for(0, rows.count, rows.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = in + i * classes;
        T* to = out + i * classes;
        const int64_t label = loss.label[i];
        const T base = static_cast<T>(loss.margin) - row[label];
        const T factor = scale * loss.weight_of<T>(i) * g[each ? i : 0];
        T total = 0;
        // Without branches: which margins are violated is a guess.
        for (int64_t d = 0; d < classes; ++d) {
          const T z = base + row[d];
          const bool counts = (d != label) & (z > 0);
          const T violated = is_linear ? factor : 2 * factor * z;
          const T slope = counts ? violated : T(0);
          to[d] = slope;
          total += slope;
        }
        to[label] = -total;
      }
    });
  });
  write_back("multi_margin_loss_backward", output, dense);
}

static void multilabel_forward_kernel(const Tensor& self, const Tensor& target, int64_t reduction,
                                      const Tensor& output, const Tensor& is_target) {
  const Rows rows(self);
  Tensor x = at::contiguous(self), labels = at::contiguous(target);
  Tensor dense = dense_output(output), marks = dense_output(is_target);
  check_labels(labels, rows.classes);
  const int64_t* label = static_cast<const int64_t*>(labels.data_ptr());
  dispatch_scores(self, "multilabel_margin_loss_forward_out_frame", [&]<typename T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    T* mark = static_cast<T*>(marks.data_ptr());
    write_losses(rows, static_cast<T*>(dense.data_ptr()), reduction == kNone, reduction,
                 [&](int64_t i) -> double {
      const int64_t at = i * rows.classes;
      const int64_t count = mark_labels(label + at, rows.classes, mark + at);
      double total = 0;
      for (int64_t k = 0; k < count; ++k) {
        const T base = T(1) - in[at + label[at + k]];
        for (int64_t d = 0; d < rows.classes; ++d) {
          const T z = base + in[at + d];
          if (mark[at + d] == T(0) && z > 0) total += static_cast<double>(z);
        }
      }
      return total / static_cast<double>(rows.classes);
    });
  });
  write_back("multilabel_margin_loss", output, dense);
  write_back("multilabel_margin_loss", is_target, marks);
}

static void multilabel_backward_kernel(const Tensor& grad_output, const Tensor& self,
                                       const Tensor& target, int64_t reduction,
                                       const Tensor& is_target, const Tensor& output) {
  const Rows rows(self);
  Tensor x = at::contiguous(self), labels = at::contiguous(target),
         marks = at::contiguous(is_target), grad = at::contiguous(grad_output),
         dense = dense_output(output);
  check_labels(labels, rows.classes);
  const int64_t* label = static_cast<const int64_t*>(labels.data_ptr());
  const bool each = grad.dim() > 0 && reduction == kNone;
  dispatch_scores(self, "multilabel_margin_loss_backward_out_frame", [&]<typename T>(TypeTag<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    const T* mark = static_cast<const T*>(marks.data_ptr());
    const T* g = static_cast<const T*>(grad.data_ptr());
    T* out = static_cast<T*>(dense.data_ptr());
    const T scale = static_cast<T>(row_scale(rows, reduction));
    parallel_for(0, rows.count, rows.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i * rows.classes;
        const T slope = scale * g[each ? i : 0];
        std::fill_n(out + at, rows.classes, T(0));
        for (int64_t k = 0; k < rows.classes && label[at + k] >= 0; ++k) {
          const int64_t own = label[at + k];
          const T base = T(1) - in[at + own];
          int64_t active = 0;
#pragma GCC ivdep
          for (int64_t d = 0; d < rows.classes; ++d) {
            const bool counts = mark[at + d] == T(0) && !(base + in[at + d] <= 0);
            out[at + d] += counts ? slope : T(0);
            active += counts;
          }
          out[at + own] -= slope * static_cast<T>(active);
        }
      }
    });
  });
  write_back("multilabel_margin_loss_backward", output, dense);
}

REGISTER_DISPATCH(multi_margin_loss_stub, &multi_margin_loss_kernel)
REGISTER_DISPATCH(multi_margin_loss_backward_stub, &multi_margin_loss_backward_kernel)
REGISTER_DISPATCH(multilabel_margin_loss_forward_stub, &multilabel_forward_kernel)
REGISTER_DISPATCH(multilabel_margin_loss_backward_stub, &multilabel_backward_kernel)

}  // namespace at::native
