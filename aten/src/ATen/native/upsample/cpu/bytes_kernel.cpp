// One pass of the interpolation of images of bytes.

#include <algorithm>
#include <cstring>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <ATen/Parallel.h>
#include <ATen/native/upsample/bytes.h>
#include <ATen/native/upsample/cpu/for_each_row.h>

namespace at::native {
namespace {

uint8_t byte_of(int32_t sum, int shift) {
  return static_cast<uint8_t>(std::min(std::max(sum >> shift, 0), 255));
}

// One element, from elements that are `step` bytes apart.
uint8_t sum_taps(const uint8_t* from, int64_t step, const int16_t* weight, int64_t count,
                 int shift) {
  int32_t sum = shift > 0 ? 1 << (shift - 1) : 0;
  for (int64_t k = 0; k < count; ++k) sum += weight[k] * from[k * step];
  return byte_of(sum, shift);
}

#if defined(__AVX2__)

// Sums of 32 bits, rounded, to bytes. Those of a and of b alternate by lanes of four.
__m128i bytes_of(__m256i a, __m256i b, int shift) {
  const __m128i places = _mm_cvtsi32_si128(shift);
  const __m256i shorts =
      _mm256_packs_epi32(_mm256_sra_epi32(a, places), _mm256_sra_epi32(b, places));
  return _mm_packus_epi16(_mm256_castsi256_si128(shorts), _mm256_extracti128_si256(shorts, 1));
}

__m256i halves(int shift) { return _mm256_set1_epi32(shift > 0 ? 1 << (shift - 1) : 0); }

// Two weights, for the elements of two taps side by side.
__m256i pair_of(const int16_t* weight) {
  int32_t both;
  std::memcpy(&both, weight, sizeof both);
  return _mm256_set1_epi32(both);
}

// Sixteen elements of a row, a few times, from those of its taps.
template <int times>
void sum_sixteens(const uint8_t* from, int64_t step, const int16_t* weight, int64_t count,
                  int shift, uint8_t* to) {
  __m256i low[times], high[times];
  for (int i = 0; i < times; ++i) low[i] = high[i] = halves(shift);
  for (int64_t k = 0; k < count; k += 2) {
    const uint8_t *a = from + k * step, *b = k + 1 < count ? a + step : a;  // its weight may be 0
    const __m256i pair = pair_of(weight + k);
    const auto load = [](const uint8_t* p) {
      return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    };
    for (int i = 0; i < times; ++i) {
      const __m256i x = load(a + 16 * i), y = load(b + 16 * i);
      low[i] = _mm256_add_epi32(low[i], _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), pair));
      high[i] = _mm256_add_epi32(high[i], _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), pair));
    }
  }
  for (int i = 0; i < times; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * i), bytes_of(low[i], high[i], shift));
}

// The taps of one element that stand side by side, in four partial sums.
__m128i partial_sums(const uint8_t* from, const int16_t* weight, int64_t count) {
  if (count <= 8) {
    const __m128i x = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    return _mm_madd_epi16(x, _mm_loadu_si128(reinterpret_cast<const __m128i*>(weight)));
  }
  __m256i sum = _mm256_setzero_si256();
  for (int64_t k = 0; k < count; k += 16) {
    const __m256i x =
        _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight + k));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
  }
  return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

// Bytes that are stored may be anything, but not what is in local variables.
void sum_line(const ByteTaps& t, const uint8_t* const* lines, uint8_t* const* results) {
  const uint8_t* from = lines[0];
  uint8_t* to = results[0];
  const __m128i half = _mm256_castsi256_si128(halves(t.shift)), places = _mm_cvtsi32_si128(t.shift);
  const int64_t *first = t.first.data(), *count = t.count.data(), room = t.room, out = t.out;
  const int16_t* weight = t.weight.data();
  for (int64_t o = 0; o < out; o += 4) {
    __m128i sums[4];
    for (int64_t j = 0; j < 4; ++j) {
      const int64_t at = std::min(o + j, out - 1);
      sums[j] = partial_sums(from + first[at], weight + at * room, count[at]);
    }
    const __m128i sum =
        _mm_hadd_epi32(_mm_hadd_epi32(sums[0], sums[1]), _mm_hadd_epi32(sums[2], sums[3]));
    const __m128i whole = _mm_sra_epi32(_mm_add_epi32(sum, half), places),
                  bytes = _mm_packus_epi16(_mm_packs_epi32(whole, whole), whole);
    const int four = _mm_cvtsi128_si32(bytes);
    if (o + 4 <= out) std::memcpy(to + o, &four, 4);
    else std::memcpy(to + o, &four, static_cast<size_t>(out - o));
  }
}

// Lines that sum_pixels takes at a time: each pair of weights is read once for all of them.
constexpr int kLines = 4;

// Pixels of three or four channels. Half a register holds a pixel of one line, and the pixels of
// its taps are loaded together, as pairs for each channel.
template <int channels>
void sum_pixels(const ByteTaps& t, const uint8_t* const* from, uint8_t* const* to) {
  constexpr int c = channels, kHalves = kLines / 2;
  const auto pair = [](int first, int channel) {
    return static_cast<int32_t>(0x80008000u | static_cast<uint32_t>(first * c + channel) |
                                static_cast<uint32_t>((first + 1) * c + channel) << 16);
  };
  // The fourth channel of three is another one again, and not stored.
  const auto spread = [pair](int first) {
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi32(pair(first, 0), pair(first, 1), pair(first, 2), pair(first, c - 1)));
  };
  const __m256i first_two = spread(0), next_two = spread(2), half = halves(t.shift);
  // Without the fourth channels.
  const __m256i close = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const __m128i places = _mm_cvtsi32_si128(t.shift);
  const int64_t *first = t.first.data(), *count = t.count.data(), room = t.room, out = t.out;
  const int16_t* weights = t.weight.data();
  for (int64_t o = 0; o < out; o += 4) {
    __m256i sums[4][kHalves];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const int64_t at = std::min(o + j, out - 1), begin = first[at] * c, taps = count[at];
      const int16_t* weight = weights + at * room;
#pragma GCC unroll 2
      for (int h = 0; h < kHalves; ++h) sums[j][h] = half;
      for (int64_t k = 0; k < taps; k += 4) {
        __m256i pixels[kHalves];
        const __m256i w = pair_of(weight + k);
#pragma GCC unroll 2
        for (int h = 0; h < kHalves; ++h) {
          const auto load = [&](int line) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[line] + begin + k * c));
          };
          pixels[h] =
              _mm256_inserti128_si256(_mm256_castsi128_si256(load(2 * h)), load(2 * h + 1), 1);
          const __m256i x = _mm256_shuffle_epi8(pixels[h], first_two);
          sums[j][h] = _mm256_add_epi32(sums[j][h], _mm256_madd_epi16(x, w));
        }
        if (k + 2 >= taps) break;
        const __m256i next = pair_of(weight + k + 2);
#pragma GCC unroll 2
        for (int h = 0; h < kHalves; ++h) {
          const __m256i x = _mm256_shuffle_epi8(pixels[h], next_two);
          sums[j][h] = _mm256_add_epi32(sums[j][h], _mm256_madd_epi16(x, next));
        }
      }
    }
#pragma GCC unroll 2
    for (int h = 0; h < kHalves; ++h) {
      const auto whole = [&](int j) { return _mm256_sra_epi32(sums[j][h], places); };
      __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(whole(0), whole(1)),
                                          _mm256_packs_epi32(whole(2), whole(3)));
      if (c == 3) bytes = _mm256_shuffle_epi8(bytes, close);
      const __m128i of_line[2] = {_mm256_castsi256_si128(bytes),
                                  _mm256_extracti128_si256(bytes, 1)};
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        uint8_t* line = to[2 * h + i] + o * c;
        if (out - o >= 6) {  // what is written too much is written again
          _mm_storeu_si128(reinterpret_cast<__m128i*>(line), of_line[i]);
        } else {
          uint8_t four[16];
          _mm_storeu_si128(reinterpret_cast<__m128i*>(four), of_line[i]);
          std::memcpy(line, four, static_cast<size_t>(std::min<int64_t>(4, out - o) * c));
        }
      }
    }
  }
}

// What sum_line and sum_pixels read after the last element that has a weight.
constexpr int64_t kReadBeyond = 48;

#endif

// A row of `inner` elements, from the rows of its taps.
void sum_row(const uint8_t* from, int64_t inner, const int16_t* weight, int64_t count, int shift,
             uint8_t* to) {
#if defined(__AVX2__)
  if (inner >= 16) {
    int64_t i = 0;
    for (; i + 32 <= inner; i += 32) sum_sixteens<2>(from + i, inner, weight, count, shift, to + i);
    for (; i < inner; i += 16) {
      const int64_t at = std::min(i, inner - 16);
      sum_sixteens<1>(from + at, inner, weight, count, shift, to + at);
    }
    return;
  }
#endif
  for (int64_t i = 0; i < inner; ++i) to[i] = sum_taps(from + i, inner, weight, count, shift);
}

#if defined(__AVX2__)

// sum(taps, lines, their results) for groups of the lines that are requested. The last of a group
// that is not full is in it several times.
template <int together, typename F>
void for_each_line(const ByteTaps& t, const uint8_t* from, uint8_t* to, int64_t outer,
                   int64_t inner, const std::vector<char>& requested, const F& sum) {
  const int64_t size = t.in * inner, period = static_cast<int64_t>(requested.size());
  parallel_for(0, outer, std::max<int64_t>(together, kGrainSize / (t.out * inner)),
               [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> last[together];
    const uint8_t* lines[together];
    uint8_t* results[together];
    int count = 0;
    const auto finish = [&] {
      for (int i = count; i < together; ++i) {
        lines[i] = lines[count - 1];
        results[i] = results[count - 1];
      }
      if (count > 0) sum(t, lines, results);
      count = 0;
    };
    for (int64_t o = begin; o < end; ++o) {
      if (period > 0 && !requested[o % period]) continue;
      lines[count] = from + o * size;
      // After other lines comes memory of the next one.
      if ((outer - o - 1) * size < kReadBeyond) {
        last[count].assign(lines[count], lines[count] + size);
        last[count].resize(static_cast<size_t>(size + kReadBeyond));
        lines[count] = last[count].data();
      }
      results[count] = to + o * t.out * inner;
      if (++count == together) finish();
    }
    finish();
  });
}

#endif

}  // namespace

static void resample_bytes_kernel(const ByteTaps& t, const uint8_t* from, uint8_t* to,
                                  int64_t outer, int64_t inner,
                                  const std::vector<char>& requested) {
#if defined(__AVX2__)
  const auto by_pixels = [&](const auto& sum) {
    for_each_line<kLines>(t, from, to, outer, inner, requested, sum);
  };
  if (inner == 1) return for_each_line<1>(t, from, to, outer, inner, requested, sum_line);
  if (inner == 3) return by_pixels(sum_pixels<3>);
  if (inner == 4) return by_pixels(sum_pixels<4>);
#endif
  const int64_t period = static_cast<int64_t>(requested.size());
  parallel_for(0, outer * t.out, std::max<int64_t>(1, kGrainSize / inner),
               [&](int64_t begin, int64_t end) {
    uint8_t* row = to + begin * inner;
    for_each_row(begin, end, t.out, [&](int64_t line, int64_t o) {
      if (period == 0 || requested[line % period])
        sum_row(from + (line * t.in + t.first[o]) * inner, inner, t.weight.data() + o * t.room,
                t.count[o], t.shift, row);
      row += inner;
    });
  });
}

REGISTER_DISPATCH(resample_bytes_stub, &resample_bytes_kernel)

}  // namespace at::native
