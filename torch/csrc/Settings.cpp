// Settings of the process or the thread: default dtype, number of threads, warnings, determinism;
// and the statistics of the CPU allocator.

#include <torch/csrc/Module.h>

#include <string>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/SDPSwitches.h>
#include <c10/core/CPUAllocator.h>
#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>

namespace torch {
namespace {

PyObject* get_default_dtype(PyObject*, PyObject*) {
  return guarded([] { return wrap_dtype(at::get_default_dtype()); });
}
PyObject* set_default_dtype(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(
        THPDtype_Check(o),
        "invalid dtype object: only floating-point types are supported as the default type");
    c10::set_default_dtype(to_dtype(o));
    Py_RETURN_NONE;
  });
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(at::get_num_threads()); }
PyObject* get_num_interop_threads(PyObject*, PyObject*) {
  return PyLong_FromLong(at::get_num_interop_threads());
}
PyObject* set_threads(PyObject* o, void (*set)(int), const char* op) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyLong_Check(o), op, " expects an int, but got ", Py_TYPE(o)->tp_name);
    int64_t n = to_int64(o);
    TORCH_CHECK(n > 0 && n <= 4096, op, " expects a positive integer, got ", n);
    set(static_cast<int>(n));
    Py_RETURN_NONE;
  });
}
PyObject* set_num_threads(PyObject*, PyObject* o) {
  return set_threads(o, at::set_num_threads, "set_num_threads");
}
PyObject* set_num_interop_threads(PyObject*, PyObject* o) {
  return set_threads(o, at::set_num_interop_threads, "set_num_interop_threads");
}

PyObject* set_warn_always(PyObject*, PyObject* o) {
  if (!PyBool_Check(o))
    return PyErr_Format(PyExc_RuntimeError, "set_warn_always expects a bool, but got %s",
                        Py_TYPE(o)->tp_name);
  c10::WarningUtils::set_warnAlways(o == Py_True);
  Py_RETURN_NONE;
}
PyObject* get_warn_always(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::WarningUtils::get_warnAlways());
}

// For kernels of GPUs: those of the CPU are always deterministic and in full precision.
constexpr const char* kPrecisions[] = {"highest", "high", "medium"};
PyObject* set_deterministic(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"mode", "warn_only", nullptr};
  int mode, warn = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "p|$p", const_cast<char**>(names), &mode, &warn))
    return nullptr;
  at::globalContext().setDeterministicAlgorithms(mode, warn);
  Py_RETURN_NONE;
}
PyObject* get_deterministic(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicAlgorithms());
}
PyObject* set_fills_memory(PyObject*, PyObject* o) {
  if (!PyBool_Check(o))
    return PyErr_Format(PyExc_TypeError, "fill_uninitialized_memory must be a bool, got %s",
                        Py_TYPE(o)->tp_name);
  at::globalContext().setDeterministicFillUninitializedMemory(o == Py_True);
  Py_RETURN_NONE;
}
PyObject* get_fills_memory(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicFillUninitializedMemory());
}
PyObject* set_mkldnn_enabled(PyObject*, PyObject* o) {
  if (!PyBool_Check(o))
    return PyErr_Format(PyExc_TypeError, "set_enabled_mkldnn expects a bool, got %s",
                        Py_TYPE(o)->tp_name);
  at::globalContext().setUserEnabledMkldnn(o == Py_True);
  Py_RETURN_NONE;
}
PyObject* get_mkldnn_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().userEnabledMkldnn());
}
PyObject* get_deterministic_warn(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicAlgorithmsWarnOnly());
}
PyObject* set_precision(PyObject*, PyObject* o) {
  const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  for (int k = 0; k < 3; ++k) {
    if (!text || std::string_view(text) != kPrecisions[k]) continue;
    at::globalContext().setFloat32MatmulPrecision(static_cast<at::Float32MatmulPrecision>(k));
    Py_RETURN_NONE;
  }
  return PyErr_Format(
      PyExc_RuntimeError,
      "set_float32_matmul_precision(): expected 'highest', 'high' or 'medium', got %R", o);
}
PyObject* get_precision(PyObject*, PyObject*) {
  const auto precision = at::globalContext().float32MatmulPrecision();
  return PyUnicode_FromString(kPrecisions[static_cast<int>(precision)]);
}

// The name of the library, or another word for the default.
PyObject* set_preferred_blas(PyObject*, PyObject* o) {
  const char* text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  if (!text)
    return PyErr_Format(PyExc_TypeError, "_set_preferred_blas(): expected a string, got %R", o);
  const std::string_view name = text;
  at::globalContext().setPreferredBlas(name == "cublas"     ? at::BlasBackend::cublas
                                       : name == "cublaslt" ? at::BlasBackend::cublaslt
                                                            : at::BlasBackend::automatic);
  Py_RETURN_NONE;
}

// enabled, benchmark, benchmark_limit, deterministic.
PyObject* set_cudnn(PyObject*, PyObject* args) {
  int enabled, benchmark, limit, deterministic;
  if (!PyArg_ParseTuple(args, "ppip", &enabled, &benchmark, &limit, &deterministic)) return nullptr;
  auto& settings = at::globalContext().cudnn();
  settings.enabled = enabled;
  settings.benchmark = benchmark;
  settings.benchmark_limit = limit;
  settings.deterministic = deterministic;
  Py_RETURN_NONE;
}
// Whether products, convolutions and recurrent layers may round to TF32.
PyObject* set_tf32(PyObject*, PyObject* args) {
  int products, convolutions, layers;
  if (!PyArg_ParseTuple(args, "ppp", &products, &convolutions, &layers)) return nullptr;
  auto& context = at::globalContext();
  context.setAllowTF32CuBLAS(products);
  context.cudnn().allow_tf32_conv = convolutions;
  context.cudnn().allow_tf32_rnn = layers;
  Py_RETURN_NONE;
}
PyObject* get_tf32(PyObject*, PyObject*) {
  auto& context = at::globalContext();
  return Py_BuildValue("(OOO)", context.allowTF32CuBLAS() ? Py_True : Py_False,
                       context.cudnn().allow_tf32_conv ? Py_True : Py_False,
                       context.cudnn().allow_tf32_rnn ? Py_True : Py_False);
}

template <at::SDPKernel kernel>
PyObject* set_sdp(PyObject*, PyObject* o) {
  if (!PyBool_Check(o))
    return PyErr_Format(PyExc_RuntimeError,
                        "switches of attention kernels are bools, but got an argument of type %s",
                        Py_TYPE(o)->tp_name);
  at::set_sdp_enabled(kernel, o == Py_True);
  Py_RETURN_NONE;
}
template <at::SDPKernel kernel>
PyObject* get_sdp(PyObject*, PyObject*) {
  return PyBool_FromLong(at::sdp_enabled(kernel));
}

PyObject* get_sdp_order(PyObject*, PyObject*) {
  return guarded([] {
    const at::SDPOrder order = at::sdp_priority();
    return make_list(order.size(), [&](size_t i) {
      return PyLong_FromLong(static_cast<long>(order[i]));
    }).release();
  });
}
PyObject* set_sdp_order(PyObject*, PyObject* list) {
  return guarded([&]() -> PyObject* {
    at::SDPOrder order;
    const auto count = static_cast<Py_ssize_t>(order.size());
    unsigned seen = 0;
    if (PyList_Check(list) && PyList_GET_SIZE(list) == count) {
      for (Py_ssize_t i = 0; i < count; ++i) {
        const int64_t number = to_int64(PyList_GET_ITEM(list, i));
        if (number >= 0 && number < count) seen |= 1u << number;
        order[static_cast<size_t>(i)] = static_cast<at::SDPKernel>(number);
      }
    }
    TORCH_CHECK(seen == (1u << count) - 1,
                "_set_sdp_priority_order expects a list of the numbers of all kernels, 0 to ",
                count - 1, ", each once");
    at::set_sdp_priority(order);
    Py_RETURN_NONE;
  });
}

// (kernel, query, key, value, mask or None, dropout, is_causal, enable_gqa) -> why it does not take
// them
PyObject* sdp_obstacle(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* tensors[4];
    double dropout;
    int kernel, is_causal, enable_gqa;
    if (!PyArg_ParseTuple(args, "iOOOOdpp", &kernel, &tensors[0], &tensors[1], &tensors[2],
                          &tensors[3], &dropout, &is_causal, &enable_gqa))
      return nullptr;
    const bool has_mask = tensors[3] != Py_None;
    for (int i = 0; i < (has_mask ? 4 : 3); ++i)
      TORCH_CHECK_TYPE(THPVariable_Check(tensors[i]), "expected a Tensor, but got ",
                       Py_TYPE(tensors[i])->tp_name);
    std::optional<at::Tensor> mask;
    if (has_mask) mask = THPVariable_Unpack(tensors[3]);
    const std::string reason =
        at::sdp_obstacle(static_cast<at::SDPKernel>(kernel), THPVariable_Unpack(tensors[0]),
                         THPVariable_Unpack(tensors[1]), THPVariable_Unpack(tensors[2]), mask,
                         dropout, is_causal != 0, std::nullopt, enable_gqa != 0);
    return PyUnicode_FromStringAndSize(reason.data(), static_cast<Py_ssize_t>(reason.size()));
  });
}

PyObject* set_flush_denormal(PyObject*, PyObject* on) {
  int b = PyObject_IsTrue(on);
  if (b < 0) return nullptr;
  // FTZ and DAZ of the SSE control word; of this thread, as in PyTorch.
  unsigned int word = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(b ? word | 0x8040u : word & ~0x8040u);
  Py_RETURN_TRUE;
}

PyObject* memory_stats(PyObject*, PyObject*) {
  c10::CPUAllocatorStats s = c10::cpu_allocator_stats();
  auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
  return Py_BuildValue(
      "{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "allocations", n(s.allocations), "frees",
      n(s.frees), "allocated_bytes", n(s.allocated_bytes), "peak_allocated_bytes",
      n(s.peak_allocated_bytes), "cached_bytes", n(s.cached_bytes), "reserved_bytes",
      n(s.reserved_bytes), "peak_reserved_bytes", n(s.peak_reserved_bytes), "system_maps",
      n(s.system_maps), "system_unmaps", n(s.system_unmaps), "cache_hits", n(s.cache_hits));
}
PyObject* reset_peak_memory_stats(PyObject*, PyObject*) {
  c10::reset_peak_cpu_allocator_stats();
  Py_RETURN_NONE;
}
PyObject* empty_cache(PyObject*, PyObject*) {
  c10::empty_cpu_cache();
  Py_RETURN_NONE;
}

template <typename F>
PyCFunction fn(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef functions[] = {
    {"get_default_dtype", get_default_dtype, METH_NOARGS, docs::get_default_dtype},
    {"_set_default_dtype", set_default_dtype, METH_O, nullptr},
    {"get_num_threads", get_num_threads, METH_NOARGS, docs::get_num_threads},
    {"set_num_threads", set_num_threads, METH_O, docs::set_num_threads},
    {"get_num_interop_threads", get_num_interop_threads, METH_NOARGS,
     docs::get_num_interop_threads},
    {"set_num_interop_threads", set_num_interop_threads, METH_O, docs::set_num_interop_threads},
    {"_set_warnAlways", set_warn_always, METH_O, nullptr},
    {"_get_warnAlways", get_warn_always, METH_NOARGS, nullptr},
    {"_set_deterministic_algorithms", fn(set_deterministic), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_set_deterministic_fill_uninitialized_memory", set_fills_memory, METH_O, nullptr},
    {"_get_deterministic_fill_uninitialized_memory", get_fills_memory, METH_NOARGS, nullptr},
    {"_get_deterministic_algorithms", get_deterministic, METH_NOARGS, nullptr},
    {"_get_deterministic_algorithms_warn_only", get_deterministic_warn, METH_NOARGS, nullptr},
    {"_set_mkldnn_enabled", set_mkldnn_enabled, METH_O, nullptr},
    {"_get_mkldnn_enabled", get_mkldnn_enabled, METH_NOARGS, nullptr},
    {"_set_float32_matmul_precision", set_precision, METH_O, nullptr},
    {"_get_float32_matmul_precision", get_precision, METH_NOARGS, nullptr},
    {"_set_tf32", set_tf32, METH_VARARGS, nullptr},
    {"_get_tf32", get_tf32, METH_NOARGS, nullptr},
    {"_set_preferred_blas", set_preferred_blas, METH_O, nullptr},
    {"_set_cudnn_settings", set_cudnn, METH_VARARGS, nullptr},
    {"_set_sdp_use_math", set_sdp<at::SDPKernel::Math>, METH_O, nullptr},
    {"_set_sdp_use_flash", set_sdp<at::SDPKernel::Flash>, METH_O, nullptr},
    {"_set_sdp_use_mem_efficient", set_sdp<at::SDPKernel::Efficient>, METH_O, nullptr},
    {"_set_sdp_use_cudnn", set_sdp<at::SDPKernel::Cudnn>, METH_O, nullptr},
    {"_get_math_sdp_enabled", get_sdp<at::SDPKernel::Math>, METH_NOARGS, nullptr},
    {"_get_flash_sdp_enabled", get_sdp<at::SDPKernel::Flash>, METH_NOARGS, nullptr},
    {"_get_mem_efficient_sdp_enabled", get_sdp<at::SDPKernel::Efficient>, METH_NOARGS, nullptr},
    {"_get_cudnn_sdp_enabled", get_sdp<at::SDPKernel::Cudnn>, METH_NOARGS, nullptr},
    {"_get_sdp_priority_order", get_sdp_order, METH_NOARGS, nullptr},
    {"_set_sdp_priority_order", set_sdp_order, METH_O, nullptr},
    {"_sdp_obstacle", sdp_obstacle, METH_VARARGS, nullptr},
    {"set_flush_denormal", set_flush_denormal, METH_O, docs::set_flush_denormal},
    {"_cpu_memory_stats", memory_stats, METH_NOARGS, nullptr},
    {"_cpu_reset_peak_memory_stats", reset_peak_memory_stats, METH_NOARGS, nullptr},
    {"_cpu_empty_cache", empty_cache, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
}  // namespace

bool init_settings(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace torch
