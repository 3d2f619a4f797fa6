#pragma once
// TORCH_LIBRARY and TORCH_LIBRARY_IMPL: operators and kernels registered from C++ when a library is
// loaded.
//
//   TORCH_LIBRARY(mylib, m) {
//     m.def("scale(Tensor x, float by) -> Tensor");
//   }
//   TORCH_LIBRARY_IMPL(mylib, CPU, m) {
//     m.impl("scale", &scale_cpu);  // at::Tensor scale_cpu(const at::Tensor&, double)
//   }
//   TORCH_LIBRARY_IMPL(aten, AutogradCPU, m) {
//     m.impl("add.Tensor", &my_add);  // instead of the library's own
//   }
//
// A function's C++ types must match its schema; a mismatch throws when it is
// registered.

#include <ATen/core/boxing.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/OperatorHandle.h>

#include <string>
#include <vector>

namespace c10 {
enum class AliasAnalysisKind : uint8_t {
  INTERNAL_SPECIAL_CASE,
  CONSERVATIVE,
  FROM_SCHEMA,
  PURE_FUNCTION
};
}  // namespace c10
namespace at {
// clang-format off
enum class Tag {
  core, cudagraph_unsafe, data_dependent_output, dynamic_output_shape, flexible_layout,
  generated, inplace_view, maybe_aliasing_or_mutating, needs_contiguous_strides,
  needs_exact_strides, needs_fixed_stride_order, nondeterministic_bitwise,
  nondeterministic_seeded, pointwise, pt2_compliant_tag, reduction, view_copy
};
// clang-format on
}  // namespace at

namespace torch {

namespace detail {

// Normalizes a declared type to the one that the dispatcher passes: passing by value or by
// reference makes no difference to a schema.
template <typename T>
struct Canonical {
  using type = T;
};
template <typename T>
struct Canonical<const T&> : Canonical<T> {};
template <typename T>
struct Canonical<T&&> : Canonical<T> {};
template <>
struct Canonical<at::Tensor> {
  using type = const at::Tensor&;
};
template <>
struct Canonical<at::Tensor&> {
  using type = at::Tensor&;
};
template <>
struct Canonical<at::Scalar> {
  using type = const at::Scalar&;
};
template <>
struct Canonical<std::optional<at::Tensor>> {
  using type = const std::optional<at::Tensor>&;
};
template <>
struct Canonical<std::string> {
  using type = std::string_view;
};
template <typename T>
struct Canonical<std::vector<T>> {
  using type = at::ArrayRef<T>;
};

// The schema type of a C++ type.
template <typename T>
struct SchemaWord {
  static_assert(!std::is_integral_v<T>, "an integer of an operator is an int64_t, or a bool");
  static_assert(!std::is_floating_point_v<T>, "a floating-point number of an operator is a double");
  static_assert(std::is_arithmetic_v<T>, "this C++ type is none that an operator takes or gives");
  static std::string text() { return {}; }
};
#define TORCH_SCHEMA_WORD(cpp, word)           \
  template <>                                  \
  struct SchemaWord<cpp> {                     \
    static std::string text() { return word; } \
  };
TORCH_SCHEMA_WORD(const at::Tensor&, "Tensor")
TORCH_SCHEMA_WORD(at::Tensor&, "Tensor(a!)")
TORCH_SCHEMA_WORD(at::Tensor, "Tensor")
TORCH_SCHEMA_WORD(const std::optional<at::Tensor>&, "Tensor?")
TORCH_SCHEMA_WORD(const at::Scalar&, "Scalar")
TORCH_SCHEMA_WORD(at::Scalar, "Scalar")
TORCH_SCHEMA_WORD(int64_t, "int")
TORCH_SCHEMA_WORD(double, "float")
TORCH_SCHEMA_WORD(bool, "bool")
TORCH_SCHEMA_WORD(std::string_view, "str")
TORCH_SCHEMA_WORD(std::string, "str")
TORCH_SCHEMA_WORD(at::IntArrayRef, "int[]")
TORCH_SCHEMA_WORD(at::ArrayRef<double>, "float[]")
TORCH_SCHEMA_WORD(at::TensorList, "Tensor[]")
TORCH_SCHEMA_WORD(std::vector<at::Tensor>, "Tensor[]")
TORCH_SCHEMA_WORD(std::vector<int64_t>, "int[]")
TORCH_SCHEMA_WORD(std::vector<double>, "float[]")
TORCH_SCHEMA_WORD(at::ScalarType, "ScalarType")
TORCH_SCHEMA_WORD(at::Device, "Device")
TORCH_SCHEMA_WORD(at::Layout, "Layout")
TORCH_SCHEMA_WORD(at::MemoryFormat, "MemoryFormat")
TORCH_SCHEMA_WORD(at::Generator, "Generator")
#undef TORCH_SCHEMA_WORD
template <typename T>
struct SchemaWord<std::optional<T>> {
  static std::string text() { return SchemaWord<T>::text() + "?"; }
};
template <typename T>
struct ReturnWords {
  static std::string text() { return SchemaWord<T>::text(); }
};
template <>
struct ReturnWords<void> {
  static std::string text() { return "()"; }
};
template <typename... T>
struct ReturnWords<std::tuple<T...>> {
  static std::string text() {
    std::string s;
    ((s += (s.empty() ? "" : ", ") + SchemaWord<T>::text()), ...);
    return "(" + s + ")";
  }
};

template <typename F>
struct Traits;
template <typename R, typename... A>
struct Traits<R (*)(A...)> {
  using Function = R (*)(A...);

  static std::string signature() {
    std::string s;
    int i = 0;
    ((s +=
      (i ? ", " : "") + SchemaWord<typename Canonical<A>::type>::text() + " _" + std::to_string(i),
      ++i),
     ...);
    return "(" + s + ") -> " + ReturnWords<R>::text();
  }
  static R call(const at::OperatorEntry& op, A... a) {
    return at::impl::Call<R(typename Canonical<A>::type...)>::call(op, a...);
  }
  static R redispatch(const at::OperatorEntry& op, at::DispatchKeySet keys, A... a) {
    return at::impl::Call<R(typename Canonical<A>::type...)>::redispatch(op, keys, a...);
  }
  static R unboxed(void* state, at::DispatchKeySet, typename Canonical<A>::type... a) {
    return reinterpret_cast<Function>(state)(pass<A>(a)...);
  }
  static void boxed(void* state, const at::OperatorEntry&, at::DispatchKeySet,
                    at::IValueStack& stack) {
    run(reinterpret_cast<Function>(state), stack, std::index_sequence_for<A...>{});
  }

 private:
  // Converts the dispatcher's argument to the declared type. Strings and vectors are new, by value.
  template <typename Declared, typename Given>
  static decltype(auto) pass(Given& a) {
    using D = std::decay_t<Declared>;
    if constexpr (std::is_same_v<D, std::decay_t<Given>>) {
      return static_cast<Declared>(a);
    } else if constexpr (std::is_same_v<D, std::string>) {
      return std::string(a);
    } else {
      return a.vec();
    }
  }
  template <size_t... I>
  static void run(Function f, at::IValueStack& stack, std::index_sequence<I...>) {
    using at::impl::Unbox;
    at::IValue* args = at::impl::boxed_arguments(stack, sizeof...(A));
    (void)args;
    [&](Unbox<typename Canonical<A>::type>&&... held) {
      if constexpr (std::is_void_v<R>) {
        invoke(f, held.get()...);
        at::impl::replace_arguments(stack, sizeof...(A), nullptr, 0);
      } else {
        at::impl::BoxedResult<R>::replace(stack, sizeof...(A), invoke(f, held.get()...));
      }
    }(Unbox<typename Canonical<A>::type>(args[I])...);
  }
  static R invoke(Function f, typename Canonical<A>::type... a) { return f(pass<A>(a)...); }
};

}  // namespace detail

// A kernel together with its key: m.impl("f", torch::dispatch(c10::kCPU, &f)).
template <typename F>
struct DispatchedFunction {
  c10::DispatchKey key;
  F function;
};
template <typename F>
auto dispatch(c10::DispatchKey key, F f) {
  return DispatchedFunction<decltype(+f)>{key, +f};
}
template <typename F>
auto dispatch(c10::DeviceType device, F f) {
  return dispatch(c10::computeDispatchKey(device), f);
}

// The text of a schema and its alias analysis, which TorchScript uses.
inline const char* schema(const char* text,
                          c10::AliasAnalysisKind = c10::AliasAnalysisKind::FROM_SCHEMA) {
  return text;
}

namespace jit {
using Stack = at::IValueStack;
}

// A kernel that takes its arguments from a stack, made from a function of either signature.
class CppFunction {
 public:
  template <void (*f)(const c10::OperatorHandle&, jit::Stack*)>
  static CppFunction makeFromBoxedFunction() {
    return CppFunction(
        [](void*, const at::OperatorEntry& op, at::DispatchKeySet, at::IValueStack& stack) {
      f(c10::OperatorHandle(const_cast<at::OperatorEntry&>(op)), &stack);
    });
  }
  template <void (*f)(const c10::OperatorHandle&, at::DispatchKeySet, jit::Stack*)>
  static CppFunction makeFromBoxedFunction() {
    return CppFunction(
        [](void*, const at::OperatorEntry& op, at::DispatchKeySet keys, at::IValueStack& stack) {
      f(c10::OperatorHandle(const_cast<at::OperatorEntry&>(op)), keys, &stack);
    });
  }
  // Makes the key fall through: the default for a key without a kernel.
  static CppFunction makeFallthrough() { return CppFunction(nullptr); }

 private:
  friend class Library;
  using Boxed = void (*)(void*, const at::OperatorEntry&, at::DispatchKeySet, at::IValueStack&);
  explicit CppFunction(Boxed boxed) : boxed_(boxed) {}
  Boxed boxed_;
};

class Library {
 public:
  Library(const char* kind, std::string ns, c10::DispatchKey key, const char* file, uint32_t line)
      : kind_(kind), ns_(std::move(ns)), key_(key), place_(c10::str(file, ":", line)) {}

  // Defines an operator by its schema alone, or with a function that serves every device (and is
  // differentiated through). A function is a function pointer, or a lambda without captures.
  Library& def(const char* schema);
  // Tags tell torch.compile what it may do with the operator; they have no effect here.
  Library& def(const char* schema, const std::vector<at::Tag>& /*tags*/) { return def(schema); }
  template <typename F>
  Library& def(const char* schema_or_name, F f) {
    std::string text = schema_or_name;
    if (text.find('(') == std::string::npos) text += detail::Traits<decltype(+f)>::signature();
    at::OperatorEntry* op = at::define_operator(qualified(text), place_);
    try {
      put(*op, c10::DispatchKey::CompositeImplicitAutograd, +f);
    } catch (...) {
      at::remove_operator(op);
      throw;
    }
    return *this;
  }
  // m.class_<T>(name) would define a class for TorchScript, which this library does not have: use
  // pybind11 instead.
  template <typename T>
  void class_(const std::string&) {
    static_assert(!std::is_same_v<T, T>,
                  "m.class_: there is no TorchScript here to know custom classes; bind the class "
                  "with pybind11::class_ in a PYBIND11_MODULE");
  }
  // The Python module with the operators' register_fake and similar calls. Accepted for
  // compatibility; the module does not need to be announced here.
  Library& set_python_module(const char*, const char* = "") { return *this; }
  Library& impl_abstract_pystub(const char*, const char* = "") { return *this; }

  // The kernel of an operator ("name" or "name.overload") at the key of the CppFunction.
  template <typename F>
  Library& impl(const char* name, DispatchedFunction<F> f) {
    put(find(name), f.key, f.function);
    return *this;
  }
  template <typename F>
  Library& impl(const char* name, c10::DispatchKey key, F f) {
    return impl(name, dispatch(key, f));
  }
  // The same, at this block's key.
  template <typename F>
  Library& impl(const char* name, F f) {
    TORCH_CHECK(key_ != c10::DispatchKey::Undefined, "impl(\"", name,
                "\"): say the dispatch key with TORCH_LIBRARY_IMPL(", ns_, ", KEY, m)");
    put(find(name), key_, +f);
    return *this;
  }
  // A boxed kernel for every operator without a kernel of its own at this block's key.
  Library& fallback(void (*boxed)(void*, const at::OperatorEntry&, at::DispatchKeySet,
                                  at::IValueStack&));
  Library& fallback(CppFunction f) { return f.boxed_ ? fallback(f.boxed_) : *this; }
  Library& impl(const char* name, CppFunction f);

 private:
  std::string qualified(const std::string& name) const;
  at::OperatorEntry& find(const char* name) const;
  template <typename F>
  void put(at::OperatorEntry& op, c10::DispatchKey key, F f) {
    at::check_signature(op, detail::Traits<F>::signature(), place_);
    at::Override kernel;
    kernel.state = reinterpret_cast<void*>(f);
    kernel.unboxed = reinterpret_cast<void*>(&detail::Traits<F>::unboxed);
    kernel.boxed = &detail::Traits<F>::boxed;
    kernel.debug = place_;
    at::register_override(op, key, std::move(kernel));
  }

  const char* kind_;
  std::string ns_;
  c10::DispatchKey key_;
  std::string place_;
};

namespace detail {
struct TorchLibraryInit {
  TorchLibraryInit(const char* kind, const char* ns, const char* key, const char* file,
                   uint32_t line, void (*init)(Library&));
};
}  // namespace detail

}  // namespace torch

namespace c10 {
template <typename R, typename... A>
std::string TypedOperatorHandle<R(A...)>::signature() {
  return torch::detail::Traits<R (*)(A...)>::signature();
}
template <typename R, typename... A>
R TypedOperatorHandle<R(A...)>::call(A... a) const {
  return torch::detail::Traits<R (*)(A...)>::call(*op_, static_cast<A>(a)...);
}
template <typename R, typename... A>
R TypedOperatorHandle<R(A...)>::redispatch(DispatchKeySet keys, A... a) const {
  return torch::detail::Traits<R (*)(A...)>::redispatch(*op_, keys, static_cast<A>(a)...);
}
}  // namespace c10

#define TORCH_FN(f) (&f)
#define TORCH_SELECTIVE_NAME(name) (name)
#define TORCH_SELECTIVE_SCHEMA(schema) (schema)
#define TORCH_LIBRARY_BLOCK(kind, ns, key, m, id) TORCH_LIBRARY_BLOCK_IMPL(kind, ns, key, m, id)
#define TORCH_LIBRARY_BLOCK_IMPL(kind, ns, key, m, id)                                       \
  static void C10_CONCATENATE(torch_library_init_##ns##_, id)(::torch::Library&);            \
  static const ::torch::detail::TorchLibraryInit C10_CONCATENATE(torch_library_##ns##_, id)( \
      kind, #ns, key, __FILE__, __LINE__, &C10_CONCATENATE(torch_library_init_##ns##_, id)); \
  static void C10_CONCATENATE(torch_library_init_##ns##_, id)([[maybe_unused]] ::torch::Library & m)
#define TORCH_LIBRARY(ns, m) TORCH_LIBRARY_BLOCK("DEF", ns, "", m, __COUNTER__)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY_BLOCK("FRAGMENT", ns, "", m, __COUNTER__)
#define TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY_BLOCK("IMPL", ns, #key, m, __COUNTER__)
