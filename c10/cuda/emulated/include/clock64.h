#pragma once
// The clock that a kernel reads, for the emulated device: one of a gigahertz.

#include <ctime>

inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}
