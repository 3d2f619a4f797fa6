#pragma once
#include <ATen/core/library.h>
