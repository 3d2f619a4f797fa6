// Attention of the real cuDNN: graphs that NVIDIA's cudnn-frontend builds, and the plans that
// cuDNN's heuristics choose for them.
//
// The frontend calls cuDNN by the names of its functions, which libtorch_cuda does not link: those
// that it calls are defined here, and find the library that convolutions open too. Without its
// headers (nvidia-cudnn-frontend), or those of cuDNN 9, torch is built without this attention.

#include <ATen/cuda/CudnnAttentionApi.h>

#if __has_include(<cudnn.h>) && __has_include(<cudnn_frontend.h>) && !defined(TORCH_WITHOUT_CUDNN)
#include <cudnn.h>
#if CUDNN_MAJOR >= 9
#define AT_HAS_CUDNN_ATTENTION
#endif
#endif

#ifdef AT_HAS_CUDNN_ATTENTION

#include <dlfcn.h>

#include <exception>
#include <unordered_map>
#include <vector>

#include <ATen/cuda/CudnnApi.h>
#include <ATen/cuda/VendorLibrary.h>
#include <c10/util/Exception.h>
// Graphs are not written to files: without JSON it takes half the time to compile.
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>

namespace {

// Calls the function of that name in the library, which functions() has opened before.
template <auto function, typename... A>
auto in_cudnn(const char* name, A... arguments) {
  static const auto found = [&] {
    void* const library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
    TORCH_CHECK(library, "libcudnn.so.9 is not installed");
    return reinterpret_cast<decltype(function)>(at::cuda::vendor_function(library, name));
  }();
  return found(arguments...);
}

}  // namespace

// What the frontend calls. Hidden: a program may have cuDNN's own.
#pragma GCC visibility push(hidden)
extern "C" {

size_t cudnnGetVersion() { return in_cudnn<&cudnnGetVersion>("cudnnGetVersion"); }
const char* cudnnGetErrorString(cudnnStatus_t status) {
  return in_cudnn<&cudnnGetErrorString>("cudnnGetErrorString", status);
}
void cudnnGetLastErrorString(char* message, size_t size) {
  in_cudnn<&cudnnGetLastErrorString>("cudnnGetLastErrorString", message, size);
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  return in_cudnn<&cudnnGetStream>("cudnnGetStream", handle, stream);
}
cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  return in_cudnn<&cudnnBackendCreateDescriptor>("cudnnBackendCreateDescriptor", type, descriptor);
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return in_cudnn<&cudnnBackendDestroyDescriptor>("cudnnBackendDestroyDescriptor", descriptor);
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return in_cudnn<&cudnnBackendFinalize>("cudnnBackendFinalize", descriptor);
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  return in_cudnn<&cudnnBackendSetAttribute>("cudnnBackendSetAttribute", descriptor, name, type,
                                             count, elements);
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested,
                                       int64_t* count, void* elements) {
  return in_cudnn<&cudnnBackendGetAttribute>("cudnnBackendGetAttribute", descriptor, name, type,
                                             requested, count, elements);
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  return in_cudnn<&cudnnBackendExecute>("cudnnBackendExecute", handle, plan, pack);
}

}  // extern "C"
#pragma GCC visibility pop

namespace at::cuda::cudnn {
namespace {

namespace fe = cudnn_frontend;
using TensorOfGraph = std::shared_ptr<fe::graph::Tensor_attributes>;

// Names of the tensors of a graph.
enum Uid : int64_t {
  kQuery = 1,
  kKey,
  kValue,
  kBias,
  kOut,
  kLogsumexp,
  kSeed,
  kOffset,
  kGradOut,
  kGradQuery,
  kGradKey,
  kGradValue
};

fe::DataType_t type_of(c10::ScalarType dtype) {
  return dtype == c10::ScalarType::Half ? fe::DataType_t::HALF : fe::DataType_t::BFLOAT16;
}

void set_layout(const TensorOfGraph& tensor, Uid uid, const HeadsLayout& layout) {
  tensor->set_uid(uid)
      .set_dim({layout.sizes.begin(), layout.sizes.end()})
      .set_stride({layout.strides.begin(), layout.strides.end()});
}

class FrontendPlan final : public AttentionPlan {
 public:
  explicit FrontendPlan(const AttentionProblem& problem) : p_(problem) {
    graph_.set_io_data_type(type_of(p_.dtype))
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    p_.is_backward ? add_backward() : add_forward();
  }

  // Returns an error if cuDNN cannot do it.
  fe::error_t build(cudnnHandle_t handle) {
    fe::error_t error = graph_.build(handle, {fe::HeurMode_t::A});
    if (error.is_good()) error = graph_.get_workspace_size(workspace_);
    return error;
  }

  size_t workspace() const override { return static_cast<size_t>(workspace_); }

  void run(const AttentionOperands& o, void* workspace) const override {
    std::unordered_map<int64_t, void*> memory{
        {kQuery, o.query}, {kKey, o.key}, {kValue, o.value}, {kOut, o.out}};
    if (p_.has_bias) memory[kBias] = o.bias;
    if (p_.keeps_logsumexp) memory[kLogsumexp] = o.logsumexp;
    if (p_.dropout > 0) {
      memory[kSeed] = o.seed;
      memory[kOffset] = o.offset;
    }
    if (p_.is_backward) {
      memory[kGradOut] = o.grad_out;
      memory[kGradQuery] = o.grad_query;
      memory[kGradKey] = o.grad_key;
      memory[kGradValue] = o.grad_value;
    }
    fe::error_t error = graph_.execute(static_cast<cudnnHandle_t>(handle()), memory, workspace);
    TORCH_CHECK(error.is_good(), "cuDNN error: ", error.get_message(), " when computing attention");
  }

 private:
  TensorOfGraph input(Uid uid, const HeadsLayout& layout) {
    const auto tensor = graph_.tensor(fe::graph::Tensor_attributes());
    set_layout(tensor, uid, layout);
    return tensor;
  }
  TensorOfGraph number(Uid uid) {
    const auto tensor = input(uid, {{1, 1, 1, 1}, {1, 1, 1, 1}});
    tensor->set_data_type(fe::DataType_t::INT64);
    return tensor;
  }
  HeadsLayout logsumexp_layout() const {
    const auto [batch, heads, queries, width] = p_.query.sizes;
    return {{batch, heads, queries, 1}, {heads * queries, queries, 1, 1}};
  }

  // What both passes have.
  template <typename Attributes>
  void set_options(Attributes& attributes) {
    attributes.set_name("attention").set_attn_scale(static_cast<float>(p_.scale));
    if (p_.is_causal) attributes.set_causal_mask(true);
    if (p_.has_bias) attributes.set_bias(input(kBias, p_.bias));
    if (p_.dropout > 0)
      attributes.set_dropout(static_cast<float>(p_.dropout), number(kSeed), number(kOffset));
  }

  void add_forward() {
    fe::graph::SDPA_attributes attributes;
    set_options(attributes);
    attributes.set_generate_stats(p_.keeps_logsumexp);
    const auto [out, logsumexp] = graph_.sdpa(input(kQuery, p_.query), input(kKey, p_.key),
                                              input(kValue, p_.value), attributes);
    set_layout(out, kOut, p_.out);
    out->set_output(true);
    if (!p_.keeps_logsumexp) return;
    set_layout(logsumexp, kLogsumexp, logsumexp_layout());
    logsumexp->set_output(true).set_data_type(fe::DataType_t::FLOAT);
  }

  void add_backward() {
    fe::graph::SDPA_backward_attributes attributes;
    set_options(attributes);
    attributes.set_deterministic_algorithm(p_.is_deterministic);
    const TensorOfGraph logsumexp = input(kLogsumexp, logsumexp_layout());
    logsumexp->set_data_type(fe::DataType_t::FLOAT);
    const auto gradients =
        graph_.sdpa_backward(input(kQuery, p_.query), input(kKey, p_.key), input(kValue, p_.value),
                             input(kOut, p_.out), input(kGradOut, p_.out), logsumexp, attributes);
    const HeadsLayout* layouts[] = {&p_.grad_query, &p_.grad_key, &p_.grad_value};
    for (int i = 0; i < 3; ++i) {
      set_layout(gradients[i], static_cast<Uid>(kGradQuery + i), *layouts[i]);
      gradients[i]->set_output(true);
    }
  }

  const AttentionProblem p_;
  fe::graph::Graph graph_;
  int64_t workspace_ = 0;
};

}  // namespace

bool has_attention() { return functions() != nullptr; }

std::unique_ptr<AttentionPlan> make_attention_plan(const AttentionProblem& problem,
                                                   std::string& reason) {
  // The frontend throws some errors and returns others.
  try {
    auto plan = std::make_unique<FrontendPlan>(problem);
    fe::error_t error = plan->build(static_cast<cudnnHandle_t>(handle()));
    if (error.is_good()) return plan;
    reason = error.get_message();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (reason.empty()) reason = "cuDNN gives no reason";
  return nullptr;
}

}  // namespace at::cuda::cudnn

#else

namespace at::cuda::cudnn {

bool has_attention() { return false; }
std::unique_ptr<AttentionPlan> make_attention_plan(const AttentionProblem&, std::string& reason) {
  reason = "torch was built without cuDNN's attention";
  return nullptr;
}

}  // namespace at::cuda::cudnn
#endif
