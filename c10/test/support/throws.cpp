// Test helper: whether a call throws an error with a given text.

#include <c10/test/support/throws.h>

#include <c10/util/Backtrace.h>
#include <c10/util/Exception.h>

namespace torch_test {

::testing::AssertionResult throws_type(const std::type_info& requested,
                                       c10::function_ref<void()> call, std::string_view phrase) {
  auto judge = [&](const std::type_info& got, const char* message) {
    if (got != requested) {
      return ::testing::AssertionFailure()
             << "expected " << c10::demangle(requested.name()) << ", got "
             << c10::demangle(got.name()) << ": " << message;
    }
    if (std::string_view(message).find(phrase) == std::string_view::npos) {
      return ::testing::AssertionFailure() << "no \"" << phrase << "\" in: " << message;
    }
    return ::testing::AssertionSuccess();
  };
  try {
    call();
  } catch (const c10::Error& error) {
    return judge(typeid(error), error.what_without_backtrace());
  } catch (const std::exception& error) {
    return judge(typeid(error), error.what());
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace torch_test
