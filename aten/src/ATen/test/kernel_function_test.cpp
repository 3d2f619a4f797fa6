// Functions as kernels: every type of argument and result, called boxed and unboxed.

#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <ATen/test/support/dispatch.h>
#include <ATen/test/support/tensors.h>
#include <c10/test/support/throws.h>

using namespace at;
using namespace torch_test;

namespace {

// Registers the function under its inferred schema, calls it boxed, and removes it.
template <typename F>
IValueStack run(F* function, IValueStack arguments) {
  definitions("functions").def("f", function);
  OperatorEntry* op = find_operator("functions::f", "");
  struct Remove {
    OperatorEntry* op;
    ~Remove() { remove_operator(op); }
  } remove{op};
  return call_boxed(*op, std::move(arguments));
}
template <typename F>
std::string schema(F* /*function*/) {
  return torch::detail::Traits<F*>::signature();
}

int64_t add_int(int64_t a, int64_t b) { return a + b; }
double halve(double x) { return x / 2; }
bool negate(bool x) { return !x; }
std::string greet(std::string name, std::string_view mark) {
  return "hello " + name + std::string(mark);
}
Scalar same(const Scalar& x) { return x; }

TEST(KernelFunction, Numbers) {
  EXPECT_EQ(run(&add_int, {IValue(2), IValue(3)})[0].toInt(), 5);
  EXPECT_EQ(run(&halve, {IValue(3.0)})[0].toDouble(), 1.5);
  EXPECT_EQ(run(&halve, {IValue(3)})[0].toDouble(), 1.5);
  EXPECT_FALSE(run(&negate, {IValue(true)})[0].toBool());
  EXPECT_EQ(run(&greet, {IValue("you"), IValue("!")})[0].toStringRef(), "hello you!");
  EXPECT_TRUE(run(&same, {IValue(true)})[0].toScalar().isBoolean());
  EXPECT_EQ(schema(&add_int), "(int _0, int _1) -> int");
  EXPECT_EQ(schema(&greet), "(str _0, str _1) -> str");
  EXPECT_THROW(run(&add_int, {IValue(2), IValue(0.5)}), TypeError);
}

Tensor add(const Tensor& a, Tensor b) { return at::add(a, b); }
bool is_defined(const Tensor& x) { return x.defined(); }
Tensor& change(Tensor& x, int64_t by) { return at::_ops::mul__Scalar::call(x, by); }

TEST(KernelFunction, Tensors) {
  EXPECT_TRUE(has(run(&add, {IValue(tensor({1})), IValue(tensor({2}))})[0].toTensor(), {3}));
  EXPECT_TRUE(run(&is_defined, {IValue(tensor({1}))})[0].toBool());
  EXPECT_FALSE(run(&is_defined, {IValue()})[0].toBool());  // None is an undefined tensor
  EXPECT_EQ(schema(&change), "(Tensor(a!) _0, int _1) -> Tensor(a!)");
  const Tensor x = tensor({2, 3});
  EXPECT_TRUE(run(&change, {IValue(x), IValue(10)})[0].toTensor().is_same(x));
  EXPECT_TRUE(has(x, {20, 30}));
}

int64_t count(TensorList list) { return static_cast<int64_t>(list.size()); }
int64_t sum_of(IntArrayRef list) {
  int64_t sum = 0;
  for (int64_t i : list) sum += i;
  return sum;
}
double last_of(ArrayRef<double> list) { return list.back(); }
std::vector<Tensor> pair_of(const Tensor& x) { return {x, at::mul(x, 2)}; }

TEST(KernelFunction, Lists) {
  EXPECT_EQ(run(&count, {IValue(std::vector<Tensor>{tensor({1}), tensor({2})})})[0].toInt(), 2);
  EXPECT_EQ(run(&sum_of, {IValue(std::vector<int64_t>{1, 2, 3})})[0].toInt(), 6);
  EXPECT_EQ(run(&last_of, {IValue(std::vector<double>{1, 2.5})})[0].toDouble(), 2.5);
  const auto pair = run(&pair_of, {IValue(tensor({4}))});
  ASSERT_EQ(pair[0].toTensorVector().size(), 2u);
  EXPECT_TRUE(has(pair[0].toTensorVector()[1], {8}));
  EXPECT_EQ(schema(&pair_of), "(Tensor _0) -> Tensor[]");
}

int64_t or_else(std::optional<int64_t> x, const std::optional<Tensor>& t) {
  return x.value_or(-1) + (t ? 100 : 0);
}

TEST(KernelFunction, Optionals) {
  EXPECT_EQ(run(&or_else, {IValue(5), IValue()})[0].toInt(), 5);
  EXPECT_EQ(run(&or_else, {IValue(), IValue(tensor({1}))})[0].toInt(), 99);
  EXPECT_EQ(schema(&or_else), "(int? _0, Tensor? _1) -> int");
}

int g_calls = 0;
void nothing(const Tensor&) { ++g_calls; }
std::tuple<Tensor, int64_t> two(const Tensor& x) { return {x, x.numel()}; }
int64_t no_arguments() { return 7; }

TEST(KernelFunction, NumbersOfResults) {
  g_calls = 0;
  EXPECT_TRUE(run(&nothing, {IValue(tensor({1}))}).empty());
  EXPECT_EQ(g_calls, 1);
  const auto results = run(&two, {IValue(tensor({1, 2}))});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(has(results[0].toTensor(), {1, 2}));
  EXPECT_EQ(results[1].toInt(), 2);
  EXPECT_EQ(run(&no_arguments, {})[0].toInt(), 7);
  EXPECT_EQ(schema(&nothing), "(Tensor _0) -> ()");
  EXPECT_EQ(schema(&two), "(Tensor _0) -> (Tensor, int)");
}

Device where(Device d, ScalarType t) { return t == kFloat ? d : Device(kMeta); }

TEST(KernelFunction, DevicesAndTypes) {
  EXPECT_EQ(run(&where, {IValue(Device(kCPU)), IValue(kFloat)})[0].toDevice(), Device(kCPU));
  EXPECT_EQ(run(&where, {IValue(Device(kCPU)), IValue(kInt)})[0].toDevice(), Device(kMeta));
}

TEST(KernelFunction, TooFewArgumentsAreRefused) {
  EXPECT_TRUE(throws<Error>([] { run(&add_int, {IValue(1)}); },
                            "a boxed call got 1 arguments, expected 2"));
}

Tensor fails(const Tensor&) { TORCH_CHECK_VALUE(false, "from the kernel"); }

TEST(KernelFunction, ErrorsComeThrough) {
  EXPECT_TRUE(throws<ValueError>([] { run(&fails, {IValue(tensor({1}))}); }, "from the kernel"));
  EXPECT_EQ(find_operator("functions::f", ""), nullptr);
}

}  // namespace
