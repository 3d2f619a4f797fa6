// Nodes of views whose base was changed in place.

#include <algorithm>

#include <torch/csrc/autograd/functions/view_functions.h>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/div.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/ops/zeros.h>
#include <c10/core/TensorImpl.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

static int64_t storage_span(const Geometry& g) {
  int64_t last = g.offset;
  for (size_t i = 0; i < g.sizes.size(); ++i) {
    if (g.sizes[i] == 0) return g.offset;
    last += (g.sizes[i] - 1) * g.strides[i];
  }
  return last + 1;
}

static bool overlaps(const Geometry& g) {
  // Sorted by stride, each stride must step over all that the smaller ones reach.
  c10::SmallVector<int, 8> order;
  for (size_t d = 0; d < g.sizes.size(); ++d) {
    if (g.sizes[d] > 1) order.push_back(static_cast<int>(d));
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) { return g.strides[a] < g.strides[b]; });
  int64_t reach = 0;
  for (int d : order) {
    if (g.strides[d] <= reach) return true;
    reach += g.strides[d] * (g.sizes[d] - 1);
  }
  return false;
}

Tensor gradient_in_layout(const Tensor& grad, const Geometry& layout, bool copy) {
  // The storage covers the offset too, so that the forward's offsets mean the same here.
  Tensor storage = at::new_zeros(grad, {storage_span(layout)});
  Tensor result = at::as_strided(storage, layout.sizes, layout.strides, layout.offset);
  if (copy) at::_ops::copy_::call(result, grad, false);
  return result;
}

Tensor as_strided_backward(const Tensor& grad, const Geometry& base, const Geometry& view) {
  int64_t span = std::max(storage_span(base), storage_span(view));
  Tensor storage = at::new_zeros(grad, {span});
  if (!overlaps(view)) {
    Tensor piece = at::as_strided(storage, view.sizes, view.strides, view.offset);
    at::_ops::copy_::call(piece, grad, false);
  } else {
    Tensor positions = at::arange(span, at::TensorOptions(c10::kLong).device(grad.device()));
    Tensor at_view =
        at::reshape(at::as_strided(positions, view.sizes, view.strides, view.offset), {-1});
    storage = at::index_add(storage, 0, at_view, at::reshape(grad, {-1}));
  }
  if (overlaps(base)) {
    // Several elements of the base lie in one place: each has its share of that place's gradient.
    Tensor positions = at::arange(span, at::TensorOptions(c10::kLong).device(grad.device()));
    Tensor at_base =
        at::reshape(at::as_strided(positions, base.sizes, base.strides, base.offset), {-1});
    // Counted in integers: half types stop at 2048, and complex numbers have no order.
    auto counts = at::TensorOptions(c10::kLong).device(grad.device());
    Tensor sharers =
        at::index_add(at::zeros({span}, counts), 0, at_base, at::ones(at_base.sizes(), counts));
    storage = at::div(
        storage, at::_to_copy(at::clamp_min(sharers, 1), at::TensorOptions(grad.scalar_type())));
  }
  Tensor result = at::as_strided(storage, base.sizes, base.strides, base.offset);
  // A result that fills its storage needs no memory of its own.
  return result.numel() == span && base.offset == 0 ? result : at::clone(result);
}

Tensor Geometry::through_bits(const Tensor& grad) const {
  Tensor result = conj ? at::conj(grad) : grad;
  return neg ? at::neg(result) : result;
}

Geometry Geometry::of_pairs() const {
  Geometry g = *this;
  for (int64_t& s : g.strides) s *= 2;
  g.sizes.push_back(2);
  g.strides.push_back(1);
  g.offset *= 2;
  return g;
}

static Tensor pairs_of(const Tensor& grad, bool complex) {
  return complex ? at::view_as_real(at::resolve_conj(grad)) : grad;
}

static Geometry geometry(const Tensor& t, bool pairs) {
  return pairs ? Geometry(t).of_pairs() : Geometry(t);
}

AsStridedOfBase::AsStridedOfBase(const Tensor& b, const Tensor& v)
    : Node(1),
      complex_base(b.is_complex() && !v.is_complex()),
      complex_view(v.is_complex() && !b.is_complex()),
      base(geometry(b, complex_base)),
      view(geometry(v, complex_view)) {}
intrusive_ptr<AsStridedOfBase> AsStridedOfBase::make(const Tensor& base, const Tensor& view) {
  return c10::make_intrusive<AsStridedOfBase>(base, view);
}

variable_list AsStridedOfBase::apply(variable_list&& grads) {
  if (!grads[0].defined()) return {Tensor()};
  Tensor grad =
      as_strided_backward(pairs_of(view.through_bits(grads[0]), complex_view), base, view);
  return {base.through_bits(complex_base ? at::view_as_complex(grad) : grad)};
}

CopySlices::CopySlices(const Tensor& b, const Tensor& v, intrusive_ptr<Node> f)
    : Node(1),
      complex_base(b.is_complex() && !v.is_complex()),
      complex_view(v.is_complex() && !b.is_complex()),
      base(geometry(b, complex_base)),
      view(geometry(v, complex_view)),
      fn(std::move(f)) {}

intrusive_ptr<CopySlices> CopySlices::make(const Tensor& base, const Tensor& view,
                                           intrusive_ptr<Node> fn) {
  auto node = c10::make_intrusive<CopySlices>(base, view, fn);
  node->add_next_edge(gradient_edge(base));
  for (uint32_t i = 1; i < fn->num_outputs(); ++i) node->add_next_edge(fn->next_edge(i));
  return node;
}

AsStridedOfBase::AsStridedOfBase(const CopySlices& change)
    : Node(1),
      complex_base(change.complex_base),
      complex_view(change.complex_view),
      base(change.base),
      view(change.view) {}

static thread_local CopySlices* t_running = nullptr;

Edge CopySlices::edge_of_result(const Node* fn) {
  if (!t_running || t_running->fn.get() != fn) return {};
  auto node = c10::make_intrusive<AsStridedOfBase>(*t_running);
  node->add_next_edge({intrusive_ptr<Node>::reclaim_copy(t_running), 0});
  return {std::move(node), 0};
}

variable_list CopySlices::apply(variable_list&& grads) {
  variable_list out(num_outputs());
  if (!grads[0].defined()) return out;
  Tensor result = gradient_in_layout(pairs_of(base.through_bits(grads[0]), complex_base), base,
                                     /*copy=*/true);
  Tensor piece = at::as_strided(result, view.sizes, view.strides, view.offset);
  if (complex_view) piece = at::view_as_complex(piece);
  variable_list inner{at::clone(view.through_bits(piece))};
  struct Running {
    explicit Running(CopySlices* now) : before(t_running) { t_running = now; }
    ~Running() { t_running = before; }
    CopySlices* before;
  } running(this);
  variable_list computed = fn->apply(std::move(inner));
  for (size_t i = 1; i < computed.size() && i < out.size(); ++i) out[i] = computed[i];
  if (!computed.empty() && computed[0].defined()) {
    at::_ops::copy_::call(piece, view.through_bits(computed[0]), false);
  } else {
    at::_ops::zero_::call(piece);
  }
  out[0] = base.through_bits(complex_base ? at::view_as_complex(result) : result);
  return out;
}

}  // namespace torch::autograd
