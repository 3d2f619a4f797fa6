// Tests of FunctionRef.

#include <c10/util/FunctionRef.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>

using c10::function_ref;

namespace {

int twice(int x) { return 2 * x; }
int call(function_ref<int(int)> f, int x) { return f(x); }

TEST(FunctionRef, CallsFunctionsLambdasAndObjects) {
  struct Adder {
    int by;
    int operator()(int x) const { return x + by; }
  };
  int factor = 3;
  EXPECT_EQ(call(twice, 4), 8);
  EXPECT_EQ(call(&twice, 4), 8);
  EXPECT_EQ(call([](int x) { return x - 1; }, 4), 3);
  EXPECT_EQ(call([&](int x) { return x * factor; }, 4), 12);
  EXPECT_EQ(call(Adder{5}, 4), 9);
}

TEST(FunctionRef, BorrowsItsCallable) {
  int calls = 0;
  auto count = [&calls](int) mutable { return ++calls; };
  const function_ref<int(int)> f(count);
  f(0);
  const function_ref<int(int)> copy = f;
  copy(0);
  EXPECT_EQ(calls, 2);
  static_assert(sizeof(f) == 2 * sizeof(void*));
}

TEST(FunctionRef, PassesArgumentsThrough) {
  std::string text = "a";
  function_ref<void(std::string&)> change = [](std::string& s) { s += "b"; };
  change(text);
  EXPECT_EQ(text, "ab");
  auto take = [](std::unique_ptr<int> p) { return *p; };
  function_ref<int(std::unique_ptr<int>)> moved = take;
  EXPECT_EQ(moved(std::make_unique<int>(7)), 7);
  auto same = [](int& x) -> int& { return x; };
  function_ref<int&(int&)> reference = same;
  int x = 1;
  EXPECT_EQ(&reference(x), &x);
}

TEST(FunctionRef, LetsExceptionsThrough) {
  EXPECT_THROW(call([](int) -> int { throw std::string("no"); }, 1), std::string);
}

}  // namespace
