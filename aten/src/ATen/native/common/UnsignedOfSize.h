#pragma once
// The unsigned integer of 1, 2, 4 or 8 bytes.

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace at::native {

template <size_t size>
using UnsignedOfSize = std::conditional_t<
    size == 1, uint8_t,
    std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, uint64_t>>>;

}  // namespace at::native
