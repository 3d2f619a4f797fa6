#pragma once
#include <ATen/native/common/TensorIterator.h>
