#pragma once
// Whether the processor has matrix tiles of bfloat16: see common/cpu/MatrixTiles.h.

#include <ATen/native/common/DispatchStub.h>

namespace at::native {

DECLARE_DISPATCH(bool (*)(), has_matrix_tiles_stub);

}  // namespace at::native
