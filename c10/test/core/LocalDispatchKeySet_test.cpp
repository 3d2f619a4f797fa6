// Tests of the guards that include and exclude keys.

#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <gtest/gtest.h>

#include <thread>

using namespace c10;
using c10::impl::ExcludeDispatchKeyGuard;
using c10::impl::IncludeDispatchKeyGuard;
using c10::impl::tls_is_dispatch_key_excluded;
using c10::impl::tls_is_dispatch_key_included;

namespace {

TEST(LocalDispatchKeySet, GuardsNest) {
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
  {
    ExcludeDispatchKeyGuard outer(DispatchKey::Tracer);
    EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
    {
      ExcludeDispatchKeyGuard inner(DispatchKeySet{DispatchKey::Tracer, DispatchKey::AutocastCPU});
      EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::AutocastCPU));
    }
    EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
    EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutocastCPU));
  }
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
}

TEST(LocalDispatchKeySet, IncludedAndExcludedAreApart) {
  IncludeDispatchKeyGuard in(DispatchKey::AutocastCPU);
  EXPECT_TRUE(tls_is_dispatch_key_included(DispatchKey::AutocastCPU));
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutocastCPU));
  {
    IncludeDispatchKeyGuard more(DispatchKey::Tracer);
    EXPECT_TRUE(tls_is_dispatch_key_included(DispatchKey::AutocastCPU));
    EXPECT_TRUE(tls_is_dispatch_key_included(DispatchKey::Tracer));
  }
  EXPECT_FALSE(tls_is_dispatch_key_included(DispatchKey::Tracer));
}

// Note [Grad mode is an exclusion]
TEST(LocalDispatchKeySet, GradModeExcludesAutograd) {
  EXPECT_TRUE(GradMode::is_enabled());
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
  {
    NoGradGuard without;
    EXPECT_FALSE(GradMode::is_enabled());
    EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
    {
      // Other exclusions survive a change of grad mode, both ways.
      ExcludeDispatchKeyGuard guard(DispatchKey::Tracer);
      AutoGradMode with(true);
      EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
      EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
    }
    EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
    EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
  }
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
}

TEST(LocalDispatchKeySet, InferenceModeNests) {
  EXPECT_FALSE(InferenceMode::is_enabled());
  {
    InferenceMode on;
    EXPECT_TRUE(InferenceMode::is_enabled());
    EXPECT_FALSE(GradMode::is_enabled());
    {
      InferenceMode off(false);
      EXPECT_FALSE(InferenceMode::is_enabled());
      EXPECT_TRUE(GradMode::is_enabled());
    }
    EXPECT_TRUE(InferenceMode::is_enabled());
    EXPECT_FALSE(GradMode::is_enabled());
  }
  EXPECT_FALSE(InferenceMode::is_enabled());
  EXPECT_TRUE(GradMode::is_enabled());
  NoGradGuard without;
  InferenceMode off(false);  // was off before: grad mode is unchanged
  EXPECT_FALSE(GradMode::is_enabled());
}

TEST(LocalDispatchKeySet, EachThreadHasItsOwn) {
  ExcludeDispatchKeyGuard guard(DispatchKey::Tracer);
  NoGradGuard without;
  std::thread([] {
    EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
    EXPECT_TRUE(GradMode::is_enabled());
    IncludeDispatchKeyGuard in(DispatchKey::AutocastCPU);
  }).join();
  EXPECT_FALSE(tls_is_dispatch_key_included(DispatchKey::AutocastCPU));
  EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::Tracer));
}

}  // namespace
