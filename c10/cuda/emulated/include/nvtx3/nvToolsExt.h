#pragma once
// The part of NVTX that torch calls, for the emulated device. The texts are kept, for tests.

#include <cstdint>

using nvtxRangeId_t = uint64_t;

extern "C" {
// They give the depth of the range among those of the thread, from 0.
int nvtxRangePushA(const char* text);
int nvtxRangePop();
nvtxRangeId_t nvtxRangeStartA(const char* text);
void nvtxRangeEnd(nvtxRangeId_t id);
void nvtxMarkA(const char* text);
// What was called since the last time: lines "push TEXT", "pop", "mark TEXT". The caller frees
// them.
char* torch_emulated_nvtx_lines();
}
