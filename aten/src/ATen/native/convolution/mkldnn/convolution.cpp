// Convolutions by oneDNN, forward and backward, one to three spatial dimensions.
//
// There are three primitives, and a transposed convolution needs no others: its forward pass is the
// gradient of a convolution with respect to its input, and vice versa.

#include <string>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/mkldnn/Mkldnn.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/view.h>
#include <c10/util/Logging.h>

namespace at::native::mkldnn {
namespace {

using dnnl::memory;
using dims = memory::dims;

enum class Kind : int64_t { forward, data, weights };

// A convolution from `src` to `dst`; which of the three tensors is computed depends on the kind.
struct Problem {
  Kind kind;
  Tensor src, weight, dst, bias;
  const ConvolutionArgs* args;
};

dims to_dims(IntArrayRef list) { return dims(list.begin(), list.end()); }

struct Geometry {
  dims stride, dilation, before, after;
  Geometry(const Problem& p) {
    const ConvolutionArgs& a = *p.args;
    for (int64_t d = 0; d < a.spatial(); ++d) {
      stride.push_back(a.stride[d]);
      dilation.push_back(a.dilation[d] - 1);
      before.push_back(a.padding[d]);
      int64_t window = (p.weight.sizes()[d + 2] - 1) * a.dilation[d] + 1;
      after.push_back((p.dst.sizes()[d + 2] - 1) * a.stride[d] + window - p.src.sizes()[d + 2] -
                      a.padding[d]);
    }
  }
};

memory::desc plain_desc(const Tensor& t) {
  return memory::desc(to_dims(t.sizes()), data_type(t.scalar_type()), to_dims(t.strides()));
}

// [out, in / groups, ...] becomes [groups, out / groups, in / groups, ...].
memory::desc weight_desc(const Tensor& w, int64_t groups) {
  if (groups == 1) return plain_desc(w);
  dims sizes = to_dims(w.sizes()), strides = to_dims(w.strides());
  sizes[0] /= groups;
  sizes.insert(sizes.begin(), groups);
  strides.insert(strides.begin(), strides[0] * sizes[1]);
  return memory::desc(sizes, data_type(w.scalar_type()), strides);
}

memory::desc any_of(const memory::desc& d) {
  return memory::desc(d.get_dims(), d.get_data_type(), memory::format_tag::any);
}

// An operand of a primitive: the caller's memory and, if the primitive requires another layout, how
// to get there.
struct Operand {
  int arg = 0;
  memory user, inner;
  bool output = false;
  // Empty if the layouts agree, or if both are strided: then copy_ takes a quarter of the time, or
  // less, that oneDNN does.
  dnnl::reorder reorder;
  DimVector inner_strides;
  bool has_buffer() const { return reorder || !inner_strides.empty(); }
};

struct Conv {
  dnnl::primitive primitive;  // null if oneDNN has no kernel for it
  std::vector<Operand> operands;
  std::string implementation;
};

bool is_strided(const memory::desc& d) {
  return d.get_format_kind() == memory::format_kind::blocked && d.get_inner_nblks() == 0 &&
         d.get_padded_dims() == d.get_dims();
}

Operand make_operand(int arg, const memory::desc& user, const memory::desc& inner, bool output) {
  Operand o{arg, memory(user, engine(), nullptr), {}, output, {}, {}};
  if (user == inner) {
    o.inner = o.user;
    return o;
  }
  o.inner = memory(inner, engine(), nullptr);
  const bool is_weight = arg == DNNL_ARG_WEIGHTS || arg == DNNL_ARG_DIFF_WEIGHTS;
  if (!is_weight && is_strided(inner)) {
    const dims strides = inner.get_strides();
    o.inner_strides = DimVector(strides.begin(), strides.end());
  } else {
    o.reorder = output ? dnnl::reorder(o.inner, o.user) : dnnl::reorder(o.user, o.inner);
  }
  return o;
}

// Without a kernel, oneDNN makes columns and multiplies matrices itself, which slow_convolution
// does in less time, or runs its reference loops, which take up to a hundred times as long.
bool has_kernel(const std::string& implementation) {
  return implementation.rfind("ref", 0) != 0 && implementation.find("gemm") == std::string::npos;
}

// `keep`: the images have their own layout; otherwise oneDNN chooses.
Conv make(const Problem& p, bool keep) {
  Geometry g(p);
  memory::desc src = plain_desc(p.src), weight = weight_desc(p.weight, p.args->groups),
               dst = plain_desc(p.dst), bias;
  if (p.bias.defined())
    bias = memory::desc({p.bias.numel()}, data_type(p.bias.scalar_type()), memory::format_tag::a);
  memory::desc src_any = keep ? src : any_of(src), dst_any = keep ? dst : any_of(dst),
               weight_any = any_of(weight);
  auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc forward(
      engine(),
      p.kind == Kind::forward ? dnnl::prop_kind::forward_inference
                              : dnnl::prop_kind::forward_training,
      algorithm, src_any, weight_any, bias, dst_any, g.stride, g.dilation, g.before, g.after);
  Conv c;
  auto set_primitive = [&](const dnnl::primitive_desc& pd) {
    c.implementation = pd.impl_info_str();
    if (has_kernel(c.implementation)) c.primitive = dnnl::primitive(pd);
  };
  auto add = [&](int arg, const memory::desc& user, const memory::desc& inner, bool output) {
    if (c.primitive) c.operands.push_back(make_operand(arg, user, inner, output));
  };
  switch (p.kind) {
    case Kind::forward:
      set_primitive(forward);
      add(DNNL_ARG_SRC, src, forward.src_desc(), false);
      add(DNNL_ARG_WEIGHTS, weight, forward.weights_desc(), false);
      add(DNNL_ARG_DST, dst, forward.dst_desc(), true);
      if (p.bias.defined()) add(DNNL_ARG_BIAS, bias, bias, false);
      break;
    case Kind::data: {
      dnnl::convolution_backward_data::primitive_desc pd(engine(), algorithm, src_any, weight_any,
                                                         dst_any, g.stride, g.dilation, g.before,
                                                         g.after, forward);
      set_primitive(pd);
      add(DNNL_ARG_DIFF_DST, dst, pd.diff_dst_desc(), false);
      add(DNNL_ARG_WEIGHTS, weight, pd.weights_desc(), false);
      add(DNNL_ARG_DIFF_SRC, src, pd.diff_src_desc(), true);
      break;
    }
    case Kind::weights: {
      dnnl::convolution_backward_weights::primitive_desc pd(engine(), algorithm, src_any,
                                                            weight_any, bias, dst_any, g.stride,
                                                            g.dilation, g.before, g.after, forward);
      set_primitive(pd);
      add(DNNL_ARG_SRC, src, pd.src_desc(), false);
      add(DNNL_ARG_DIFF_DST, dst, pd.diff_dst_desc(), false);
      add(DNNL_ARG_DIFF_WEIGHTS, weight, pd.diff_weights_desc(), true);
      if (p.bias.defined()) add(DNNL_ARG_DIFF_BIAS, bias, bias, true);
      break;
    }
  }
  return c;
}

Conv make(const Problem& p) {
  auto lock = lock_creation();
  if (conv_memory_format(p.src, p.src) != MemoryFormat::Contiguous) {
    // Images of one channel, for example, have no kernel in their own layout.
    if (Conv c = make(p, true); c.primitive) return c;
  }
  return make(p, false);
}

Key key_of(const Problem& p) {
  Key key;
  auto& w = key.words;
  w.reserve(48);
  w.push_back(static_cast<int64_t>(p.kind) | static_cast<int64_t>(p.src.scalar_type()) << 4 |
              static_cast<int64_t>(p.bias.defined()) << 12 | p.args->spatial() << 16);
  w.push_back(p.args->groups);
  for (const Tensor* t : {&p.src, &p.weight, &p.dst}) {
    w.insert(w.end(), t->sizes().begin(), t->sizes().end());
    w.insert(w.end(), t->strides().begin(), t->strides().end());
  }
  for (const DimVector* list : {&p.args->stride, &p.args->padding, &p.args->dilation})
    w.insert(w.end(), list->begin(), list->end());
  return key;
}

void execute(const dnnl::primitive& primitive, const std::vector<dnnl_exec_arg_t>& args) {
  TORCH_CHECK(dnnl_primitive_execute(primitive.get(), stream().get(), static_cast<int>(args.size()),
                                     args.data()) == dnnl_success,
              "convolution: oneDNN failed");
}

// Memory in the layout that the primitive requires: a tensor like the caller's if that is strided.
Tensor buffer_of(const Operand& o, const Tensor& user) {
  const auto bytes = static_cast<int64_t>(o.inner.get_desc().get_size());
  if (o.reorder) return empty_tensor({bytes}, kByte);
  const Tensor memory =
      empty_tensor({bytes / static_cast<int64_t>(user.itemsize())}, user.scalar_type());
  auto impl = memory.unsafeGetTensorImpl()->shallow_copy();
  impl->set_sizes_and_strides(user.sizes(), o.inner_strides);
  return Tensor(std::move(impl));
}

// Between the caller's memory and the buffer, in the direction that the operand has.
void transfer(const Operand& o, const Tensor& user, const Tensor& buffer) {
  if (o.reorder) {
    const memory &from = o.output ? o.inner : o.user, &to = o.output ? o.user : o.inner;
    return execute(o.reorder, {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}});
  }
  Tensor to = o.output ? user : buffer;
  native::copy_(to, o.output ? buffer : user, false);
}

void log_use(const Problem& p, const Conv& conv, bool created) {
  const char* const kinds[] = {"forward", "backward data", "backward weights"};
  C10_LOG_ARTIFACT(OneDNN, created ? "create" : "reuse", " convolution ",
                   kinds[static_cast<int>(p.kind)], " ", dtypeName(p.src.scalar_type()), " src ",
                   p.src.sizes(), " weights ", p.weight.sizes(), " dst ", p.dst.sizes(),
                   p.args->groups > 1 ? " in groups" : "", " by ", conv.implementation,
                   conv.primitive ? "" : ", left to columns");
}

// False, with nothing computed, if oneDNN has no kernel for it.
bool run(const Problem& p) {
  thread_local LruCache<Conv> cache(kCacheCapacity);
  Key key = key_of(p);
  Conv* conv = cache.find(key);
  const bool created = conv == nullptr;
  if (created) conv = &cache.insert(std::move(key), make(p));
  if (c10::log_enabled(c10::LogArtifact::OneDNN)) log_use(p, *conv, created);
  if (!conv->primitive) return false;
  auto tensor_of = [&](int arg) -> const Tensor& {
    switch (arg) {
      case DNNL_ARG_SRC:
      case DNNL_ARG_DIFF_SRC:
        return p.src;
      case DNNL_ARG_WEIGHTS:
      case DNNL_ARG_DIFF_WEIGHTS:
        return p.weight;
      case DNNL_ARG_DST:
      case DNNL_ARG_DIFF_DST:
        return p.dst;
      default:
        return p.bias;
    }
  };
  std::vector<dnnl_exec_arg_t> args;
  std::vector<Tensor> buffers(conv->operands.size());
  for (size_t k = 0; k < buffers.size(); ++k) {
    Operand& o = conv->operands[k];
    const Tensor& user = tensor_of(o.arg);
    dnnl_memory_set_data_handle(o.user.get(), user.data_ptr());
    if (o.has_buffer()) {
      buffers[k] = buffer_of(o, user);
      dnnl_memory_set_data_handle(o.inner.get(), buffers[k].data_ptr());
      if (!o.output) transfer(o, user, buffers[k]);
    }
    args.push_back({o.arg, o.inner.get()});
  }
  execute(conv->primitive, args);
  for (size_t k = 0; k < buffers.size(); ++k) {
    const Operand& o = conv->operands[k];
    if (o.has_buffer() && o.output) transfer(o, tensor_of(o.arg), buffers[k]);
  }
  stream().wait();
  return true;
}

void add_bias(const Tensor& out, const Tensor& bias) {
  DimVector shape(out.dim(), 1);
  shape[1] = bias.numel();
  Tensor to = out;
  at::_ops::add__Tensor::call(to, at::view(bias, shape), 1);
}

}  // namespace

Tensor convolution(const ConvolutionArgs& args) {
  MemoryFormat format = conv_memory_format(args.input, args.weight);
  Tensor input = in_format(args.input, format), weight = in_format(args.weight, format);
  Tensor out = empty_in_format(conv_output_sizes(args), input.options(), format);
  if (args.transposed) {
    if (!run({Kind::data, out, weight, input, Tensor(), &args})) return Tensor();
    if (args.bias.defined()) add_bias(out, args.bias);
    return out;
  }
  const Tensor bias = args.bias.defined() ? at::contiguous(args.bias) : Tensor();
  return run({Kind::forward, input, weight, out, bias, &args}) ? out : Tensor();
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(const ConvolutionArgs& args,
                                                        const Tensor& grad_output,
                                                        std::array<bool, 3> mask) {
  MemoryFormat format = conv_memory_format(args.input, args.weight);
  Tensor input = in_format(args.input, format), weight = in_format(args.weight, format),
         grad = in_format(grad_output, format);
  Tensor grad_input, grad_weight, grad_bias;
  if (mask[0]) {
    grad_input = empty_in_format(input.sizes(), input.options(), format);
    if (!run(args.transposed ? Problem{Kind::forward, grad, weight, grad_input, Tensor(), &args}
                             : Problem{Kind::data, grad_input, weight, grad, Tensor(), &args}))
      grad_input = Tensor();
  }
  bool together = mask[1] && mask[2] && !args.transposed;
  if (together) grad_bias = empty_tensor({grad.sizes()[1]}, grad.scalar_type());
  if (mask[1]) {
    grad_weight = empty_in_format(weight.sizes(), weight.options(), format);
    if (!run(args.transposed ? Problem{Kind::weights, grad, grad_weight, input, Tensor(), &args}
                             : Problem{Kind::weights, input, grad_weight, grad, grad_bias, &args}))
      grad_weight = grad_bias = Tensor();
  }
  if (mask[2] && !together) grad_bias = sum_but_channels(grad);
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace at::native::mkldnn
