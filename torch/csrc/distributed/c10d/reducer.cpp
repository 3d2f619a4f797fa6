// The gradients of DistributedDataParallel.

#include <torch/csrc/distributed/c10d/format.h>
#include <torch/csrc/distributed/c10d/reducer.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/tensor_ops.h>

namespace c10d {

namespace autograd = torch::autograd;

namespace {

struct ArrivalHook final : autograd::TensorHook {
  explicit ArrivalHook(std::function<void()> f) : f(std::move(f)) {}
  at::Tensor operator()(const at::Tensor&) override {
    if (f) f();
    return {};
  }
  std::function<void()> f;
};

at::Tensor view_like(const at::Tensor& buffer, int64_t offset, const at::Tensor& parameter) {
  at::Tensor part = at::narrow(buffer, 0, offset, parameter.numel());
  // The layout of the parameter, so that gradients are copied, and added, without a transposition.
  if (parameter.is_non_overlapping_and_dense()) {
    return at::as_strided(part, parameter.sizes(), parameter.strides(), part.storage_offset());
  }
  return at::view(part, parameter.sizes());
}

}  // namespace

Reducer::Reducer(Tensors parameters, std::vector<std::string> names,
                 std::shared_ptr<Backend> backend, Options options)
    : parameters_(std::move(parameters)),
      names_(std::move(names)),
      backend_(std::move(backend)),
      options_(options) {
  TORCH_CHECK(!parameters_.empty(), "Reducer: expected at least one parameter");
  if (backend_) divisor_ = backend_->size();
  size_t count = parameters_.size();
  arrivals_.assign(count, 0);
  expected_arrivals_.assign(count, 1);
  // Backward reaches the last layers first.
  std::vector<int64_t> order;
  for (size_t i = count; i-- > 0;) order.push_back(static_cast<int64_t>(i));
  make_buckets(assign(parameters_, order, options_));
  for (size_t i = 0; i < count; ++i) {
    auto hook =
        std::make_shared<ArrivalHook>([this, i] { gradient_arrived(static_cast<int64_t>(i)); });
    auto& meta = autograd::materialize_autograd_meta(parameters_[i]);
    if (!meta.hooks) meta.hooks = std::make_unique<autograd::TensorHooks>();
    meta.hooks->post_accumulate.push_back(hook);
    hooks_.push_back(hook);
  }
}

Reducer::~Reducer() {
  *alive_ = false;
  for (auto& hook : hooks_) static_cast<ArrivalHook*>(hook.get())->f = nullptr;
  for (auto& parameter : parameters_) {
    auto* meta = autograd::get_autograd_meta(parameter);
    if (!meta || !meta->hooks) continue;
    auto& list = meta->hooks->post_accumulate;
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const auto& h) {
      return std::any_of(hooks_.begin(), hooks_.end(),
                         [&](const auto& own) { return own.get() == h.get(); });
    }),
               list.end());
  }
}

// Parameters in a given order, in buckets of one dtype and device each.
std::vector<std::vector<int64_t>> Reducer::assign(const Tensors& parameters,
                                                  const std::vector<int64_t>& order,
                                                  const Options& options) {
  struct Open {
    std::vector<int64_t> indices;
    int64_t bytes = 0;
    size_t place = 0;
  };
  std::map<at::ScalarType, Open> open;
  std::vector<std::pair<size_t, std::vector<int64_t>>> closed;
  size_t place = 0;
  for (int64_t i : order) {
    const at::Tensor& t = parameters[i];
    Open& bucket = open[t.scalar_type()];
    bucket.indices.push_back(i);
    bucket.bytes += static_cast<int64_t>(t.nbytes());
    bucket.place = place++;
    int64_t limit = closed.empty() ? options.first_bucket_bytes : options.bucket_bytes;
    if (bucket.bytes >= limit) {
      closed.emplace_back(bucket.place, std::move(bucket.indices));
      bucket = Open();
    }
  }
  for (auto& [dtype, bucket] : open) {
    if (!bucket.indices.empty()) closed.emplace_back(bucket.place, std::move(bucket.indices));
  }
  // Buckets start in the order in which their last gradients arrive.
  std::sort(closed.begin(), closed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<int64_t>> result;
  for (auto& [last, indices] : closed) result.push_back(std::move(indices));
  return result;
}

void Reducer::make_buckets(std::vector<std::vector<int64_t>> indices) {
  c10::NoGradGuard no_grad;
  buckets_.clear();
  places_.assign(parameters_.size(), Place{});
  for (size_t b = 0; b < indices.size(); ++b) {
    Bucket bucket;
    bucket.parameters = indices[b];
    int64_t total = 0;
    for (int64_t i : indices[b]) total += parameters_[i].numel();
    bucket.buffer = at::zeros({total}, parameters_[indices[b][0]].options().requires_grad(false));
    int64_t offset = 0;
    for (int64_t i : indices[b]) {
      places_[i] = {static_cast<int64_t>(b), static_cast<int64_t>(bucket.views.size())};
      bucket.views.push_back(view_like(bucket.buffer, offset, parameters_[i]));
      offset += parameters_[i].numel();
      if (!options_.gradient_as_bucket_view) continue;
      auto& grad = autograd::materialize_autograd_meta(parameters_[i]).grad;
      if (grad.defined()) {
        copy_into(bucket.views.back(), grad);
        grad = bucket.views.back();
      }
    }
    buckets_.push_back(std::move(bucket));
  }
  bucket_indices_ = std::move(indices);
}

std::vector<int64_t> Reducer::bucket_sizes() const {
  std::vector<int64_t> sizes;
  for (const auto& bucket : buckets_) sizes.push_back(static_cast<int64_t>(bucket.buffer.nbytes()));
  return sizes;
}

std::vector<bool> Reducer::reached_from(const Tensors& outputs) const {
  std::unordered_set<autograd::Node*> seen;
  std::vector<autograd::Node*> stack;
  auto visit = [&](autograd::Node* node) {
    if (node && seen.insert(node).second) stack.push_back(node);
  };
  for (const auto& t : outputs) {
    if (t.defined() && t.requires_grad()) visit(autograd::gradient_edge(t).function.get());
  }
  while (!stack.empty()) {
    autograd::Node* node = stack.back();
    stack.pop_back();
    for (const auto& edge : node->next_edges()) visit(edge.function.get());
  }
  std::vector<bool> reached;
  for (const auto& p : parameters_) {
    auto accumulator = autograd::try_get_grad_accumulator(p);
    reached.push_back(accumulator.defined() && seen.count(accumulator.get()) > 0);
  }
  return reached;
}

std::string Reducer::names_of_missing() const {
  std::vector<std::string> missing;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!is_ready_[i]) missing.push_back(names_[i]);
  }
  return format("{}", join(missing, ", "));
}

void Reducer::prepare_for_backward(const Tensors& outputs) {
  TORCH_CHECK(
      !expects_ || num_ready_ == 0 || num_ready_ == static_cast<int64_t>(parameters_.size()),
      "DistributedDataParallel: the backward pass before gave no gradient to these parameters: ",
      names_of_missing(),
      ". All parameters must take part in the loss on every rank; find_unused_parameters=True "
      "finds those that do not");
  is_ready_.assign(parameters_.size(), false);
  is_used_.assign(parameters_.size(), false);
  arrivals_.assign(parameters_.size(), 0);
  if (!rebuilt_) arrival_order_.clear();
  next_bucket_ = num_ready_ = 0;
  queued_ = false;
  expects_ = true;
  unused_.clear();
  for (auto& bucket : buckets_) {
    bucket.pending = static_cast<int64_t>(bucket.parameters.size());
    bucket.work = nullptr;
    bucket.waiter = nullptr;
  }
  if (!options_.find_unused_parameters || options_.static_graph) return;
  std::vector<bool> reached = reached_from(outputs);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) unused_.push_back(static_cast<int64_t>(i));
  }
}

void Reducer::gradient_arrived(int64_t parameter) {
  if (!expects_) return;
  c10::NoGradGuard no_grad;
  if (!queued_) {
    queued_ = true;
    autograd::Engine::queue_callback([this, alive = alive_] {
      if (*alive) finish();
    });
    // Not before: gradients of the step before may be there until now.
    for (int64_t i : unused_) mark_ready(i, false);
  }
  int64_t count = ++arrivals_[parameter];
  if (options_.static_graph) {
    // The first backward only counts: a parameter that is used several times, as checkpoints do,
    // may get its gradient in parts.
    if (first_backward_) {
      if (count == 1) arrival_order_.push_back(parameter);
      return;
    }
    if (count < expected_arrivals_[parameter]) return;
  }
  TORCH_CHECK(!is_ready_[parameter], "DistributedDataParallel: the gradient of ", names_[parameter],
              " arrived twice in one backward pass. Its parameter is shared by several backward "
              "passes or checkpoints; "
              "static_graph=True allows that");
  if (!rebuilt_) arrival_order_.push_back(parameter);
  mark_ready(parameter, true);
}

void Reducer::store_gradient(int64_t parameter, bool used) {
  Place place = places_[parameter];
  at::Tensor& view = buckets_[place.bucket].views[place.position];
  at::Tensor& grad = autograd::materialize_autograd_meta(parameters_[parameter]).grad;
  // A hook divides, or does not, itself.
  double factor = comm_hook_ ? 1.0 : 1.0 / divisor_;
  if (!used || !grad.defined()) {
    // What earlier passes without communication have left still counts.
    if (!grad.defined()) {
      at::zero_(view);
    } else if (!grad.is_alias_of(view)) {
      at::mul_out(view, grad, at::Scalar(factor));
    } else {
      scale(view, factor);
    }
    return;
  }
  TORCH_CHECK(grad.scalar_type() == view.scalar_type(), "DistributedDataParallel: the gradient of ",
              names_[parameter], " is ", c10::toString(grad.scalar_type()), ", its parameter ",
              c10::toString(view.scalar_type()));
  if (grad.data_ptr() == view.data_ptr()) {
    if (factor != 1.0) scale(view, factor);
    return;
  }
  if (factor == 1.0) {
    copy_into(view, grad);
  } else {
    at::mul_out(view, grad, at::Scalar(factor));
  }
  if (options_.gradient_as_bucket_view) grad = view;
}

void Reducer::mark_ready(int64_t parameter, bool used) {
  c10::NoGradGuard no_grad;
  is_ready_[parameter] = true;
  is_used_[parameter] = used;
  ++num_ready_;
  store_gradient(parameter, used);
  Bucket& bucket = buckets_[places_[parameter].bucket];
  if (--bucket.pending == 0) start_ready_buckets();
}

void Reducer::start_ready_buckets() {
  while (next_bucket_ < static_cast<int64_t>(buckets_.size()) &&
         buckets_[next_bucket_].pending == 0) {
    start(buckets_[next_bucket_], next_bucket_);
    ++next_bucket_;
  }
}

void Reducer::start(Bucket& bucket, int64_t index) {
  if (!comm_hook_) {
    Tensors tensors{bucket.buffer};
    bucket.work = backend_->allreduce(tensors, AllreduceOptions());
    return;
  }
  GradBucket shown;
  shown.index = index;
  shown.count = static_cast<int64_t>(buckets_.size());
  shown.buffer = bucket.buffer;
  shown.gradients = bucket.views;
  for (int64_t i : bucket.parameters) shown.parameters.push_back(parameters_[i]);
  bucket.waiter = comm_hook_(shown);
}

// What ranks tell each other goes the way of the gradients.
at::Tensor Reducer::on_device(const at::Tensor& t) const {
  at::Device device = parameters_[0].device();
  return device.is_cpu() ? t : at::_to_copy(t, at::TensorOptions(t.scalar_type()).device(device));
}

// Which parameters some rank has used: the others keep their gradients.
void Reducer::reduce_usage() {
  if (!options_.find_unused_parameters && !options_.static_graph) return;
  if (!backend_) return;
  at::Tensor used = at::zeros({static_cast<int64_t>(is_used_.size())}, at::TensorOptions(at::kInt));
  for (size_t i = 0; i < is_used_.size(); ++i) used.data_ptr<int>()[i] = is_used_[i];
  Tensors tensors{on_device(used)};
  AllreduceOptions options;
  options.async_op = false;
  backend_->allreduce(tensors, options)->wait();
  copy_into(used, tensors[0]);
  for (size_t i = 0; i < is_used_.size(); ++i) is_used_[i] = used.data_ptr<int>()[i] > 0;
}

void Reducer::finish() {
  if (!expects_) return;
  c10::NoGradGuard no_grad;
  if (options_.static_graph && first_backward_) {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      expected_arrivals_[i] = arrivals_[i];
      if (arrivals_[i] == 0) mark_ready(static_cast<int64_t>(i), false);
    }
    for (int64_t i : std::vector<int64_t>(arrival_order_)) mark_ready(i, true);
  } else if (options_.static_graph) {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (expected_arrivals_[i] == 0 && !is_ready_[i]) mark_ready(static_cast<int64_t>(i), false);
    }
  }
  // The next forward pass raises the error, when it is clear that nothing more comes.
  if (num_ready_ < static_cast<int64_t>(parameters_.size())) {
    queued_ = false;
    return;
  }
  reduce_usage();
  for (auto& bucket : buckets_) {
    if (bucket.work) bucket.work->wait();
    if (bucket.waiter) {
      at::Tensor result = bucket.waiter();
      if (result.data_ptr() != bucket.buffer.data_ptr())
        copy_into(bucket.buffer, flattened(result));
    }
    for (size_t k = 0; k < bucket.parameters.size(); ++k) {
      int64_t i = bucket.parameters[k];
      at::Tensor& grad = autograd::materialize_autograd_meta(parameters_[i]).grad;
      if (!is_used_[i] && (options_.find_unused_parameters || options_.static_graph)) continue;
      if (grad.defined() && grad.data_ptr() == bucket.views[k].data_ptr()) continue;
      if (options_.gradient_as_bucket_view) {
        grad = bucket.views[k];
      } else if (grad.defined()) {
        copy_into(grad, bucket.views[k]);
      } else {
        grad = at::clone(bucket.views[k]);
      }
    }
    bucket.work = nullptr;
    bucket.waiter = nullptr;
  }
  expects_ = false;
  first_backward_ = false;
}

bool Reducer::rebuild_buckets() {
  if (rebuilt_ || first_backward_ || !backend_ || arrival_order_.size() != parameters_.size())
    return false;
  if (options_.find_unused_parameters && !options_.static_graph) return false;
  rebuilt_ = true;
  // Rank 0 decides: gradients may arrive in another order elsewhere.
  at::Tensor order =
      at::zeros({static_cast<int64_t>(arrival_order_.size())}, at::TensorOptions(at::kLong));
  std::copy(arrival_order_.begin(), arrival_order_.end(), order.data_ptr<int64_t>());
  Tensors tensors{on_device(order)};
  BroadcastOptions options;
  options.async_op = false;
  backend_->broadcast(tensors, options)->wait();
  copy_into(order, tensors[0]);
  std::vector<int64_t> agreed(order.data_ptr<int64_t>(), order.data_ptr<int64_t>() + order.numel());
  make_buckets(assign(parameters_, agreed, options_));
  return true;
}

}  // namespace c10d
