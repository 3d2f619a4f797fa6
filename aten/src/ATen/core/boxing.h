#pragma once
// Adapters between typed calls and calls on a stack of IValues. Only the generated Ops_*.cpp and
// library.h include this: each C++ signature gets one adapter, shared by all operators with that
// signature.
//
// There are hundreds of signatures, and boxed calls are rare: the templates here only list their
// arguments. What happens to one argument or result stands in a function of its type, out of line.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/ivalue.h>

#include <tuple>
#include <utility>

namespace at::impl {

// An argument on the stack as its C++ type. References and array references point into the stack,
// which therefore must live until the call returns.
template <typename T>
struct Unbox {
  explicit Unbox(IValue& v);
  T get() { return value; }
  T value;
};
template <>
struct Unbox<const Tensor&> {
  explicit Unbox(IValue& v);
  const Tensor& get() { return value; }
  const Tensor& value;
};
template <>
struct Unbox<Tensor&> {
  explicit Unbox(IValue& v) : value(v.toTensor()) {}
  Tensor& get() { return value; }
  Tensor& value;
};
template <>
struct Unbox<const Scalar&> {
  explicit Unbox(IValue& v) : value(v.toScalar()) {}
  const Scalar& get() { return value; }
  Scalar value;
};
template <>
struct Unbox<const std::optional<Scalar>&> {
  explicit Unbox(IValue& v);
  const std::optional<Scalar>& get() { return value; }
  std::optional<Scalar> value;
};
template <>
struct Unbox<const std::optional<Tensor>&> {
  explicit Unbox(IValue& v);
  ~Unbox();
  const std::optional<Tensor>& get() { return value; }
  std::optional<Tensor> value;
};
template <>
struct Unbox<OptionalTensorList> {
  explicit Unbox(IValue& v);
  ~Unbox();
  OptionalTensorList get() { return value; }
  std::vector<std::optional<Tensor>> value;
};
const std::vector<bool>& bools_in(const IValue& v, size_t expected_size);
template <size_t N>
struct Unbox<std::array<bool, N>> {
  explicit Unbox(IValue& v) {
    const auto& list = bools_in(v, N);
    for (size_t i = 0; i < N; ++i) value[i] = list[i];
  }
  std::array<bool, N> get() { return value; }
  std::array<bool, N> value;
};
template <typename T>
struct Unbox<std::optional<T>> {
  C10_NOINLINE explicit Unbox(IValue& v) {
    if (!v.isNone()) value.emplace(v);
  }
  std::optional<T> get() { return value ? std::optional<T>(value->get()) : std::nullopt; }
  std::optional<Unbox<T>> value;
};

// The opposite: a C++ value as one of the stack.
IValue box(const Tensor& v);
IValue box(std::string_view v);
template <typename T>
IValue box(const T& v);
template <typename T>
IValue box(const std::optional<T>& v);
template <typename T>
IValue box(ArrayRef<T> v);
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

// The topmost `count` values, which a boxed call consumes.
IValue* boxed_arguments(IValueStack& stack, size_t count);
// Puts results where the arguments of a call were. Results may refer to the arguments.
void replace_arguments(IValueStack& stack, size_t count, IValue* results, size_t num_results);

template <typename R>
struct BoxedResult {
  C10_NOINLINE static void replace(IValueStack& stack, size_t count,
                                   const std::remove_reference_t<R>& r) {
    IValue result = box(r);
    replace_arguments(stack, count, &result, 1);
  }
};
template <typename... R>
struct BoxedResult<std::tuple<R...>> {
  C10_NOINLINE static void replace(IValueStack& stack, size_t count, const std::tuple<R...>& r) {
    std::apply([&](const auto&... one) {
      IValue results[] = {box(one)...};
      replace_arguments(stack, count, results, sizeof...(R));
    }, r);
  }
};

// One argument of a typed call, on its way to a boxed kernel.
struct ArgumentRef {
  const void* value;
  IValue (*box)(const void* value);
  bool is_mutable_tensor;
};
template <typename T>
C10_NOINLINE IValue box_argument(const void* value) {
  return box(*static_cast<const T*>(value));
}
template <typename A, typename T>
ArgumentRef argument_ref(T& value) {
  return {&value, &box_argument<std::decay_t<A>>, std::is_same_v<A, Tensor&>};
}

// The stack of a call to a boxed kernel. References among the results name the mutable tensors
// among the arguments, in order.
struct BoxedCall {
  BoxedCall(const ArgumentRef* arguments, size_t count);
  // The mutable argument that the kernel returned; the last one if it returned something else.
  Tensor& returned_argument();
  // The mutable arguments that `count` results stand for.
  Tensor** last_mutable(size_t count) { return mutated + (num_mutated - count); }
  IValue pop();
  IValue* results(size_t count);

  IValueStack stack;
  Tensor* mutated[16];
  size_t num_mutated = 0;
};

// Converts the results of a boxed kernel to C++.
template <typename R>
struct PopResult {
  C10_NOINLINE static R pop(BoxedCall& call) {
    IValue v = call.pop();
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
  static void pop(BoxedCall&) {}
};
template <>
struct PopResult<Tensor&> {
  static Tensor& pop(BoxedCall& call) { return call.returned_argument(); }
};
template <typename... R>
struct PopResult<std::tuple<R...>> {
  C10_NOINLINE static std::tuple<R...> pop(BoxedCall& call) {
    return from(call, std::index_sequence_for<R...>{});
  }
  template <size_t... I>
  static std::tuple<R...> from(BoxedCall& call, std::index_sequence<I...>) {
    IValue* results = call.results(sizeof...(R));
    (void)results;
    if constexpr ((std::is_reference_v<R> || ...)) {
      return std::tuple<R...>(*call.last_mutable(sizeof...(R))[I]...);
    } else {
      return std::tuple<R...>(PopResult<R>::take(results[I])...);
    }
  }
};

// One function per signature serves both callers of an entry.
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
        replace_arguments(stack, sizeof...(A), nullptr, 0);
      } else {
        BoxedResult<Ret>::replace(stack, sizeof...(A), apply());
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
  const ArgumentRef arguments[] = {argument_ref<A>(a)..., {nullptr, nullptr, false}};
  BoxedCall call(arguments, sizeof...(A));
  found->boxed(found->state, op, keys, call.stack);
  return PopResult<Ret>::pop(call);
}

}  // namespace at::impl
