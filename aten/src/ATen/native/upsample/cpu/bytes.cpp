// Interpolation of images of bytes, as Pillow does it (Image.resize): with integer weights.

#include <ATen/native/upsample/bytes.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>

namespace at::native {

namespace {

// The most binary places with which the largest weight fits 16 bits.
int places_for(double max_weight) {
  int places = 0;
  while (places < 22 && max_weight * std::ldexp(1.0, places + 1) + 0.5 < 0x1p15) ++places;
  return places;
}

}  // namespace

ByteTaps::ByteTaps(const ResampleTable& table) : in(table.in), out(table.out) {
  table.fill();
  const auto num_lines = static_cast<size_t>(out);
  first.resize(num_lines);
  count.resize(num_lines);
  // Taps of the same element, which stand at an edge, are one.
  std::vector<double> merged(table.weight.size());
  int64_t max_count = 1;
  double max_weight = 0;
  for (int64_t o = 0; o < out; ++o) {
    const int64_t* index = table.index.data() + o * table.taps;
    double* sums = merged.data() + o * table.taps;
    first[o] = index[0];
    for (int64_t k = 0; k < table.taps; ++k) {
      const double weight = table.weight[o * table.taps + k];
      if (std::isfinite(weight)) sums[index[k] - index[0]] += weight;
    }
    count[o] = index[table.taps - 1] - index[0] + 1;
    max_count = std::max(max_count, count[o]);
    for (int64_t k = 0; k < count[o]; ++k) max_weight = std::max(max_weight, sums[k]);
  }
  shift = places_for(max_weight);
  room = divup(max_count, 16) * 16;
  weight.resize(num_lines * static_cast<size_t>(room));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t k = 0; k < count[o]; ++k) {
      const double units = merged[o * table.taps + k] * std::ldexp(1.0, shift);
      weight[o * room + k] = static_cast<int16_t>(units < 0 ? units - 0.5 : units + 0.5);
    }
  }
}

static void resize_bytes(const Tensor& images, const Tensor& result, int64_t depth,
                         const ResampleTable* across, const ResampleTable* down) {
  const IntArrayRef sizes = result.sizes();
  const int64_t planes = sizes[0] * sizes[1] / depth, height = images.sizes()[2];
  const auto* from = static_cast<const uint8_t*>(images.data_ptr());
  auto* to = static_cast<uint8_t*>(result.data_ptr());
  std::optional<ByteTaps> rows;
  std::vector<char> read(down ? static_cast<size_t>(height) : 0);
  if (down) {
    rows.emplace(*down);
    for (int64_t o = 0; o < rows->out; ++o)
      std::fill_n(read.begin() + rows->first[o], rows->count[o], char{1});
  }
  const Scratch<uint8_t> between(across && down ? planes * height * sizes[3] * depth : 0);
  if (across) {
    resample_bytes_stub(kCPU, ByteTaps(*across), from, down ? between.get() : to, planes * height,
                        depth, read);
    from = between.get();
  }
  if (down) resample_bytes_stub(kCPU, *rows, from, to, planes, sizes[3] * depth, {});
}

REGISTER_ALL_CPU_DISPATCH(resize_bytes_stub, &resize_bytes)

}  // namespace at::native
