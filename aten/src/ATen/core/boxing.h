#pragma once
// Adapters between typed calls and calls on a stack of IValues. Only the generated Ops_*.cpp
// include this: each C++ signature gets one adapter, shared by all operators with that signature.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>

#include <tuple>
#include <utility>

namespace at::impl {

// Holds an argument taken from the stack for the duration of the call and converts it to the C++
// type.
template <typename T>
struct Unbox;

#define UNBOX_VALUE(cpp, expr)                 \
  template <>                                  \
  struct Unbox<cpp> {                          \
    explicit Unbox(IValue& v) : value(expr) {} \
    cpp value;                                 \
    cpp get() { return value; }                \
  };
UNBOX_VALUE(int64_t, v.toInt())
UNBOX_VALUE(double, v.toDouble())
UNBOX_VALUE(bool, v.toBool())
UNBOX_VALUE(ScalarType, static_cast<ScalarType>(v.toInt()))
UNBOX_VALUE(Layout, static_cast<Layout>(v.toInt()))
UNBOX_VALUE(MemoryFormat, static_cast<MemoryFormat>(v.toInt()))
UNBOX_VALUE(Device, v.toDevice())
UNBOX_VALUE(Storage, v.toStorage())
UNBOX_VALUE(Generator, v.toGenerator())
UNBOX_VALUE(std::string_view, v.toStringRef())
UNBOX_VALUE(IntArrayRef, v.toIntVector())
UNBOX_VALUE(ArrayRef<double>, v.toDoubleVector())
UNBOX_VALUE(TensorList, v.toTensorVector())
UNBOX_VALUE(ArrayRef<Scalar>, v.toScalarVector())
#undef UNBOX_VALUE

template <>
struct Unbox<const Tensor&> {
  explicit Unbox(IValue& v) : value(v.isNone() ? Tensor() : v.toTensor()) {}
  Tensor value;
  const Tensor& get() { return value; }
};
template <>
struct Unbox<Tensor&> : Unbox<const Tensor&> {
  using Unbox<const Tensor&>::Unbox;
  Tensor& get() { return value; }
};
template <>
struct Unbox<const Scalar&> {
  explicit Unbox(IValue& v) : value(v.toScalar()) {}
  Scalar value;
  const Scalar& get() { return value; }
};
template <>
struct Unbox<OptionalTensorList> {
  explicit Unbox(IValue& v) {
    if (v.tag() == IValue::Tag::TensorList) {
      for (const Tensor& t : v.toTensorVector()) value.push_back(t);
    } else {
      value = v.toOptionalTensorVector();
    }
  }
  std::vector<std::optional<Tensor>> value;
  OptionalTensorList get() { return value; }
};
template <size_t N>
struct Unbox<std::array<bool, N>> {
  explicit Unbox(IValue& v) {
    const auto& list = v.toBoolVector();
    TORCH_CHECK(list.size() == N, "expected a list of ", N, " bools, got ", list.size());
    for (size_t i = 0; i < N; ++i) value[i] = list[i];
  }
  std::array<bool, N> value;
  std::array<bool, N> get() { return value; }
};
template <typename T>
struct Unbox<std::optional<T>> {
  explicit Unbox(IValue& v) {
    if (!v.isNone()) value.emplace(v);
  }
  std::optional<Unbox<T>> value;
  std::optional<T> get() { return value ? std::optional<T>(value->get()) : std::nullopt; }
};
template <typename T>
struct UnboxOptionalRef {
  explicit UnboxOptionalRef(IValue& v) {
    if (!v.isNone()) value = Unbox<const T&>(v).get();
  }
  std::optional<T> value;
  const std::optional<T>& get() { return value; }
};
template <>
struct Unbox<const std::optional<Tensor>&> : UnboxOptionalRef<Tensor> {
  using UnboxOptionalRef<Tensor>::UnboxOptionalRef;
};
template <>
struct Unbox<const std::optional<Scalar>&> : UnboxOptionalRef<Scalar> {
  using UnboxOptionalRef<Scalar>::UnboxOptionalRef;
};

// Pushes one argument. Declared first because the optional overload calls the others.
template <typename T>
IValue box(const T& v);
template <typename T>
IValue box(const std::optional<T>& v);
template <typename T>
IValue box(ArrayRef<T> v);
inline IValue box(const Tensor& v) { return v.defined() ? IValue(v) : IValue(); }
inline IValue box(std::string_view v) { return IValue(std::string(v)); }
template <size_t N>
IValue box(const std::array<bool, N>& v) {
  return IValue(std::vector<bool>(v.begin(), v.end()));
}

template <typename T>
IValue box(const T& v) {
  return IValue(v);
}
template <typename T>
IValue box(const std::optional<T>& v) {
  return v ? box(*v) : IValue();
}
template <typename T>
IValue box(ArrayRef<T> v) {
  return IValue(v.vec());
}

template <typename R>
void push(IValueStack& stack, R&& r) {
  stack.push_back(box(r));
}
template <typename... R>
void push(IValueStack& stack, std::tuple<R...>&& r) {
  std::apply([&](auto&&... one) { (stack.push_back(box(one)), ...); }, r);
}

// The mutable tensors among the arguments, in order: references among the results name these.
struct MutableTensors {
  Tensor* found[16];
  size_t size = 0;
  void add(Tensor& t) {
    if (size < 16) found[size++] = &t;
  }
  template <typename T>
  void add(const T&) {}
};

// Converts the results of a boxed kernel to C++. No pack of argument types here: each would be a
// function of its own.
template <typename R>
struct PopResult {
  static R pop(IValueStack& stack, MutableTensors&) {
    TORCH_CHECK(!stack.empty(), "a boxed kernel gave back no result");
    IValue v = std::move(stack.back());
    stack.pop_back();
    return take(v);
  }
  static R take(IValue& v) {
    if constexpr (std::is_same_v<R, Tensor>) {
      return v.isNone() ? Tensor() : v.toTensor();
    } else if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
      return v.toTensorVector();
    } else if constexpr (std::is_same_v<R, std::vector<int64_t>>) {
      return v.toIntVector();
    } else if constexpr (std::is_same_v<R, Scalar>) {
      return v.toScalar();
    } else {
      return Unbox<R>(v).get();
    }
  }
};
template <>
struct PopResult<void> {
  static void pop(IValueStack&, MutableTensors&) {}
};
template <>
struct PopResult<Tensor&> {
  // The mutable argument that the kernel returned. A kernel that returned something else wrote to
  // the last one.
  static Tensor& pop(IValueStack& stack, MutableTensors& mutated) {
    if (!stack.empty() && stack.back().isTensor()) {
      for (size_t i = 0; i < mutated.size; ++i)
        if (mutated.found[i]->is_same(stack.back().toTensor())) return *mutated.found[i];
    }
    return *mutated.found[mutated.size - 1];
  }
};
template <typename... R>
struct PopResult<std::tuple<R...>> {
  static std::tuple<R...> pop(IValueStack& stack, MutableTensors& mutated) {
    return from(stack, mutated, std::index_sequence_for<R...>{});
  }
  template <size_t... I>
  static std::tuple<R...> from(IValueStack& stack, MutableTensors& mutated,
                               std::index_sequence<I...>) {
    TORCH_CHECK(stack.size() >= sizeof...(R), "a boxed kernel gave back ", stack.size(),
                " results, expected ", sizeof...(R));
    if constexpr ((std::is_reference_v<R> || ...)) {
      return std::tuple<R...>(*mutated.found[mutated.size - sizeof...(R) + I]...);
    } else {
      const size_t base = stack.size() - sizeof...(R);
      std::tuple<R...> r(PopResult<R>::take(stack[base + I])...);
      stack.resize(base);
      return r;
    }
  }
};

// The topmost `count` values, which a boxed call consumes.
inline IValue* boxed_arguments(IValueStack& stack, size_t count) {
  TORCH_CHECK(stack.size() >= count, "a boxed call got ", stack.size(), " arguments, expected ",
              count);
  return stack.data() + (stack.size() - count);
}

// One function per signature serves both callers of an entry: most of the compiler's work on
// Ops_*.cpp happens here, because there are many signatures.
template <typename Sig>
struct BoxedAdapter;
template <typename Ret, typename... A>
struct BoxedAdapter<Ret(A...)> {
  // BoxedCaller: runs `kernel` with the arguments on the stack.
  static void call(const OperatorEntry& op, void* kernel, DispatchKeySet keys, IValueStack& stack) {
    run(op, kernel, keys, stack, false, std::index_sequence_for<A...>{});
  }
  // BoxedCaller: dispatches by the arguments; the kernel is op.call.
  static void dispatch(const OperatorEntry& op, void* call, DispatchKeySet, IValueStack& stack) {
    run(op, call, {}, stack, true, std::index_sequence_for<A...>{});
  }

 private:
  // The unboxed arguments are parameters, not a std::tuple: its recursive base classes would be a
  // third of gdb's index.
  template <size_t... I>
  C10_COLD static void run(const OperatorEntry& op, void* function, DispatchKeySet keys,
                           IValueStack& stack, bool by_arguments, std::index_sequence<I...>) {
    IValue* args = boxed_arguments(stack, sizeof...(A));
    (void)args;
    [&](Unbox<A>&&... held) {
      auto apply = [&]() -> Ret {
        if (by_arguments) return reinterpret_cast<Ret (*)(A...)>(function)(held.get()...);
        if (!function) return Call<Ret(A...)>::jump(op, keys, held.get()...);
        return reinterpret_cast<Ret (*)(DispatchKeySet, A...)>(function)(keys, held.get()...);
      };
      if constexpr (std::is_void_v<Ret>) {
        apply();
        stack.resize(stack.size() - sizeof...(A));
      } else {
        Ret r = apply();
        stack.resize(stack.size() - sizeof...(A));
        push(stack, std::forward<Ret>(r));
      }
    }(Unbox<A>(args[I])...);
  }
};

template <typename Ret, typename... A>
C10_COLD Ret call_override(const OperatorEntry& op, DispatchKeySet keys, A... a) {
  FoundKernel kernel = find_kernel(op, keys);
  if (kernel.generated) {
    return reinterpret_cast<Ret (*)(DispatchKeySet, A...)>(kernel.generated)(keys,
                                                                             static_cast<A>(a)...);
  }
  const Override* found = kernel.override;
  if (!found) report_missing_kernel(op, keys);
  if (found->unboxed) {
    return reinterpret_cast<Ret (*)(void*, DispatchKeySet, A...)>(found->unboxed)(
        found->state, keys, static_cast<A>(a)...);
  }
  IValueStack stack;
  stack.reserve(sizeof...(A));
  MutableTensors mutated;
  ((stack.push_back(box(a)), mutated.add(a)), ...);
  found->boxed(found->state, op, keys, stack);
  return PopResult<Ret>::pop(stack, mutated);
}

}  // namespace at::impl
