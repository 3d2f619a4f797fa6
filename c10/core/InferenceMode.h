#pragma once
// c10::InferenceMode: a guard under which tensors record no versions and no history.

#include <c10/core/GradMode.h>
