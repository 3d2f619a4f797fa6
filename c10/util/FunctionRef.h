#pragma once
// function_ref<R(A...)>: a borrowed callable: two words, no allocation. For parameters only: it
// must not outlive its callable.

#include <type_traits>
#include <utility>

namespace c10 {

template <typename Sig>
class function_ref;

template <typename R, typename... A>
class function_ref<R(A...)> {
 public:
  template <typename F,
            typename = std::enable_if_t<!std::is_same<std::decay_t<F>, function_ref>::value>>
  function_ref(F&& f)
      : object_(const_cast<void*>(reinterpret_cast<const void*>(&f))),
        call_([](void* object, A... a) -> R {
          return (*reinterpret_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(a)...);
        }) {}
  R operator()(A... a) const { return call_(object_, std::forward<A>(a)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

}  // namespace c10
