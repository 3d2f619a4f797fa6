#pragma once
// Headers used by every test of c10, compiled once. GoogleTest is most of it.

#include <gtest/gtest.h>

#include <c10/util/Exception.h>
