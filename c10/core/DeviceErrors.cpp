// Anchors of the error types of devices.

#include <c10/core/DeviceErrors.h>

namespace c10 {

AcceleratorError::~AcceleratorError() = default;
DeviceOutOfMemoryError::~DeviceOutOfMemoryError() = default;

}  // namespace c10
