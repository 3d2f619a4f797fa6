// Who is told of launches.

#include <c10/cuda/Launch.h>

namespace c10::cuda {

LaunchObserver g_launch_observer = nullptr;

}  // namespace c10::cuda
