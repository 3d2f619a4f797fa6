#pragma once
#include <ATen/native/TensorIterator.h>
