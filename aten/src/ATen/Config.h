#pragma once
// Describes this build and the machine's capability.

#include <string>

namespace at {

std::string show_config();
std::string get_parallel_info();
std::string get_cxx_flags();
std::string get_cpu_capability();  // "AVX512"
bool has_mkldnn();
bool has_blas();  // with LAPACK
bool has_openmp();

}  // namespace at
