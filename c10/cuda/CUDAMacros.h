#pragma once
// What kernels of extensions say about warps and blocks.

#include <c10/macros/Macros.h>

#define C10_WARP_SIZE 32
#define C10_WARP_SIZE_UPPER_BOUND 32
#define C10_WARP_SIZE_LOWER_BOUND 32
// The largest block, and the blocks that are to fit a multiprocessor at once.
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(max_threads) __launch_bounds__(max_threads)
#define C10_LAUNCH_BOUNDS_2(max_threads, min_blocks) __launch_bounds__(max_threads, min_blocks)
