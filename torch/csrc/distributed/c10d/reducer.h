#pragma once
// The gradients of DistributedDataParallel: averaged over ranks in buckets, while backward goes on.
//
// A bucket is one tensor with the gradients of several parameters. When the last of them is there,
// its sum over the ranks starts in the background. All ranks start their buckets in one order,
// which is that in which gradients arrived on rank 0 in the first backward.

#include <functional>
#include <mutex>

#include <torch/csrc/distributed/c10d/Backend.h>

namespace c10d {

// What a communication hook gets.
struct GradBucket {
  int64_t index = 0, count = 1;
  at::Tensor buffer;
  Tensors gradients, parameters;
  bool is_last() const { return index == count - 1; }
};

class Reducer {
 public:
  struct Options {
    bool find_unused_parameters = false;
    bool gradient_as_bucket_view = false;
    bool static_graph = false;
    int64_t bucket_bytes = 25 << 20;
    int64_t first_bucket_bytes = 1 << 20;
  };
  // Starts the sum of a bucket; what it gives waits for it.
  using Waiter = std::function<at::Tensor()>;
  using CommHook = std::function<Waiter(GradBucket&)>;

  Reducer(Tensors parameters, std::vector<std::string> names, std::shared_ptr<Backend> backend,
          Options options);
  ~Reducer();

  // `outputs`: of the forward pass, to find parameters that backward will not reach.
  void prepare_for_backward(const Tensors& outputs);
  // Buckets in the order in which gradients arrived; whether there was something to do.
  bool rebuild_buckets();
  void set_comm_hook(CommHook hook) { comm_hook_ = std::move(hook); }
  void set_static_graph() { options_.static_graph = true; }
  // What sums of gradients are divided by: the number of ranks at first.
  void set_divisor(int divisor) { divisor_ = divisor; }

  std::vector<int64_t> bucket_sizes() const;
  const std::vector<std::vector<int64_t>>& bucket_indices() const { return bucket_indices_; }

 private:
  struct Bucket {
    at::Tensor buffer;
    std::vector<int64_t> parameters;
    Tensors views;
    int64_t pending = 0;
    WorkPtr work;
    Waiter waiter;
  };
  struct Place {
    int64_t bucket, position;
  };

  static std::vector<std::vector<int64_t>> assign(const Tensors& parameters,
                                                  const std::vector<int64_t>& order,
                                                  const Options& options);
  void make_buckets(std::vector<std::vector<int64_t>> indices);
  void gradient_arrived(int64_t parameter);
  void mark_ready(int64_t parameter, bool used);
  void store_gradient(int64_t parameter, bool used);
  void start_ready_buckets();
  void start(Bucket& bucket, int64_t index);
  void finish();
  at::Tensor on_device(const at::Tensor& t) const;
  void reduce_usage();
  std::vector<bool> reached_from(const Tensors& outputs) const;
  std::string names_of_missing() const;

  Tensors parameters_;
  std::vector<std::string> names_;
  std::shared_ptr<Backend> backend_;
  Options options_;
  CommHook comm_hook_;
  int divisor_ = 1;
  std::vector<std::vector<int64_t>> bucket_indices_;
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;
  std::vector<std::shared_ptr<void>> hooks_;
  std::vector<bool> is_ready_, is_used_;
  // How often the gradient of a parameter arrives, in a static graph.
  std::vector<int64_t> arrivals_, expected_arrivals_;
  std::vector<int64_t> arrival_order_;
  // Parameters that the outputs do not depend on.
  std::vector<int64_t> unused_;
  int64_t next_bucket_ = 0, num_ready_ = 0;
  bool expects_ = false, queued_ = false, rebuilt_ = false, first_backward_ = true;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace c10d
