#pragma once
// EXPECT_TRUE(throws<IndexError>([&] { at::select(x, 0, 7); }, "out of range"));
//
// True if the call throws exactly that class, not one derived from it, and the message contains the
// phrase.

#include <gtest/gtest.h>

#include <string_view>
#include <typeinfo>

#include <c10/util/FunctionRef.h>

namespace torch_test {

::testing::AssertionResult throws_type(const std::type_info& requested,
                                       c10::function_ref<void()> call, std::string_view phrase);

template <typename E>
::testing::AssertionResult throws(c10::function_ref<void()> call, std::string_view phrase = "") {
  return throws_type(typeid(E), call, phrase);
}

}  // namespace torch_test
