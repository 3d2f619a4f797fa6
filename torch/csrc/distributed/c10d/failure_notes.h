#pragma once
// What ranks whose collective ran out of time tell each other through the store.

#include <string>

#include <torch/csrc/distributed/c10d/Store.h>

namespace c10d {

// The key under which a rank says what it was in when it failed.
std::string failure_key(int rank);

// Leaves a note that this rank was in `own`, and reads those of the others for up to `limit`. Gives
// "; rank 1 was in broadcast; no answer from rank 2", or nothing if all were in the same.
std::string compare_failures(Store& store, int rank, int size, const std::string& own,
                             Milliseconds limit);

}  // namespace c10d
