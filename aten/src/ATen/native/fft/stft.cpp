// stft and istft: the spectra of overlapping frames of a signal, and the signal from them.

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/native/fft/fft.h>
#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/div.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/istft_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/min.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pad.h>
#include <ATen/ops/square.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/stft_native.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unfold.h>
#include <ATen/ops/unfold_backward.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/view_as_real.h>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;

void check_window(const char* op, const OptionalTensor& window, int64_t win_length) {
  TORCH_CHECK(
      !window || !window->defined() || (window->dim() == 1 && window->size(0) == win_length), op,
      ": expected a 1D window tensor of size equal to win_length=", win_length,
      ", got one of shape ", window && window->defined() ? window->sizes() : IntArrayRef());
}

// A window in the middle of a frame of n_fft points.
Tensor centered(const Tensor& window, int64_t n_fft) {
  const int64_t n = window.size(0), left = (n_fft - n) / 2;
  return n == n_fft ? window : at::constant_pad_nd(window, {left, n_fft - n - left});
}

FFTNorm frame_norm(bool normalized, bool forward) {
  return normalized ? FFTNorm::by_root_n : forward ? FFTNorm::none : FFTNorm::by_n;
}

// The frames of a (batch, length) signal, multiplied by the window: (batch, frames, n_fft).
Tensor windowed_frames(const Tensor& signal, int64_t n_fft, int64_t hop, int64_t win_length,
                       const Tensor& window, bool align_to_window) {
  if (!align_to_window || win_length == n_fft) {
    Tensor frames = at::unfold(signal, 1, n_fft, hop);
    return window.defined() ? at::mul(frames, centered(window, n_fft)) : frames;
  }
  Tensor frames = at::unfold(signal, 1, win_length, hop);
  const int64_t left = (n_fft - win_length) / 2;
  return at::constant_pad_nd(window.defined() ? at::mul(frames, window) : frames,
                             {left, n_fft - win_length - left});
}

}  // namespace

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
            std::optional<int64_t> win_length, const OptionalTensor& window, bool normalized,
            std::optional<bool> onesided, std::optional<bool> return_complex,
            std::optional<bool> align_to_window) {
  const bool has_window = window && window->defined();
  const bool is_complex = self.is_complex() || (has_window && window->is_complex());
  TORCH_CHECK(is_complex || return_complex,
              "stft: return_complex must be given for real inputs; with True the result is "
              "complex, with False its last "
              "dimension holds real and imaginary parts");
  if (return_complex && !*return_complex)
    TORCH_WARN_ONCE(
        "stft: return_complex=False is deprecated; use torch.view_as_real on the complex result");
  TORCH_CHECK(self.is_floating_point() || self.is_complex(),
              "stft: expected a tensor of floating point or complex values, got ",
              self.scalar_type());
  TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "stft: expected a 1D or 2D tensor, got one of ",
              self.dim(), " dimensions");
  const int64_t hop = hop_length.value_or(n_fft >> 2), length = win_length.value_or(n_fft);
  const int64_t points = self.size(-1);
  TORCH_CHECK(n_fft > 0 && n_fft <= points, "stft: expected 0 < n_fft <= ", points,
              ", got n_fft=", n_fft);
  TORCH_CHECK(hop > 0, "stft: expected hop_length > 0, got hop_length=", hop);
  TORCH_CHECK(length > 0 && length <= n_fft,
              "stft: expected 0 < win_length <= n_fft, got win_length=", length,
              " and n_fft=", n_fft);
  check_window("stft", window, length);
  const bool half = onesided.value_or(!is_complex);
  TORCH_CHECK(!half || !is_complex,
              "stft: cannot have onesided output if window or input is complex");

  Tensor weights = has_window ? *window : Tensor();
  if (!has_window && length < n_fft)
    weights = at::ones({length}, self.scalar_type(), std::nullopt, self.device(), std::nullopt);
  const Tensor signal = self.dim() == 1 ? at::unsqueeze(self, 0) : self;
  Tensor frames = fft_promoted(
      windowed_frames(signal, n_fft, hop, length, weights, align_to_window.value_or(false)), false);
  const auto norm = static_cast<int64_t>(frame_norm(normalized, true));
  Tensor found = frames.is_complex() ? at::_fft_c2c(frames, 2, norm, true)
                                     : at::_fft_r2c(frames, 2, norm, half);
  found = at::transpose(found, 1, 2);
  if (self.dim() == 1) found = at::squeeze(found, 0);
  return return_complex.value_or(true) ? found : at::view_as_real(found);
}

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
            std::optional<int64_t> win_length, const OptionalTensor& window, bool center,
            std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
            std::optional<bool> return_complex, std::optional<bool> align_to_window) {
  TORCH_CHECK(!center || !align_to_window,
              "stft: align_to_window should only be set when center=False");
  Tensor signal = self;
  if (center) {
    TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "stft: expected a 1D or 2D tensor, got one of ",
                self.dim(), " dimensions");
    const int64_t edge = n_fft / 2;
    signal = self.dim() == 1 ? at::unsqueeze(self, 0) : self;
    // The padding operators take images: (batch, channels, length).
    signal = at::squeeze(at::pad(at::unsqueeze(signal, 0), {edge, edge}, pad_mode), 0);
    if (self.dim() == 1) signal = at::squeeze(signal, 0);
  }
  return stft(signal, n_fft, hop_length, win_length, window, normalized, onesided, return_complex,
              align_to_window);
}

// Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984: the signal
// whose frames are closest to the given ones is the sum of the windowed frames divided by the sum
// of the squared windows.
Tensor istft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
             std::optional<int64_t> win_length, const OptionalTensor& window, bool center,
             bool normalized, std::optional<bool> onesided, std::optional<int64_t> length,
             bool return_complex) {
  TORCH_CHECK(self.is_complex(),
              "istft: expected a complex tensor as stft returns with return_complex=True, got ",
              self.scalar_type());
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3,
              "istft: expected a tensor with 2 or 3 dimensions, got ", self.dim());
  TORCH_CHECK(self.numel() > 0, "istft: input tensor cannot be empty, got one of shape ",
              self.sizes());
  const int64_t hop = hop_length.value_or(n_fft >> 2), width = win_length.value_or(n_fft);
  const int64_t values = self.size(-2), num_frames = self.size(-1);
  const bool half = onesided.value_or(values != n_fft);
  TORCH_CHECK(n_fft > 0 && values == (half ? n_fft / 2 + 1 : n_fft), "istft: expected ",
              half ? n_fft / 2 + 1 : n_fft, " values in the frequency dimension for n_fft=", n_fft,
              half ? " and onesided=True" : " and onesided=False", ", got ", values);
  TORCH_CHECK(hop > 0 && hop <= width,
              "istft: expected 0 < hop_length <= win_length, got hop_length=", hop,
              " and win_length=", width);
  TORCH_CHECK(width > 0 && width <= n_fft,
              "istft: expected 0 < win_length <= n_fft, got win_length=", width,
              " and n_fft=", n_fft);
  check_window("istft", window, width);
  const bool has_window = window && window->defined();
  TORCH_CHECK(return_complex || !has_window || !window->is_complex(),
              "istft: complex windows are incompatible with return_complex=False");
  TORCH_CHECK(!return_complex || !half,
              "istft: cannot have onesided input if the result is complex");
  TORCH_CHECK(!length || *length > 0, "istft: expected length to be positive, got ", *length);

  Tensor weights = has_window ? *window
                              : at::ones({width}, toRealValueType(self.scalar_type()), std::nullopt,
                                         self.device(), std::nullopt);
  weights = centered(weights, n_fft);
  Tensor spectra = at::transpose(self.dim() == 2 ? at::unsqueeze(self, 0) : self, 1, 2);
  const auto norm = static_cast<int64_t>(frame_norm(normalized, false));
  if (!return_complex && !half) spectra = at::narrow(spectra, 2, 0, n_fft / 2 + 1);
  Tensor frames = return_complex ? at::_fft_c2c(spectra, 2, norm, false)
                                 : at::_fft_c2r(spectra, 2, norm, n_fft);
  const int64_t total = n_fft + hop * (num_frames - 1);
  Tensor sum =
      at::unfold_backward(at::mul(frames, weights), {frames.size(0), total}, 1, n_fft, hop);
  Tensor squares = at::expand(at::unsqueeze(at::square(weights), 0), {num_frames, n_fft});
  Tensor envelope = at::unfold_backward(squares, {total}, 0, n_fft, hop);

  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t end = length ? start + *length : center ? total - n_fft / 2 : total;
  const int64_t available = std::min(end, total) - start;
  TORCH_CHECK(available > 0, "istft: ", num_frames, " frames of ", n_fft,
              " points leave no signal");
  sum = at::narrow(sum, 1, start, available);
  envelope = at::narrow(envelope, 0, start, available);
  if (may_read(envelope)) {
    const double smallest = at::item(at::min(at::abs(envelope))).toDouble();
    TORCH_CHECK(smallest > 1e-11, "istft: window overlap add min is ", smallest,
                "; the squared windows must not add up to zero anywhere");
  }
  Tensor found = at::div(sum, envelope);
  if (end > total) {
    TORCH_WARN(
        "istft: the length of the signal is shorter than the length parameter; the result is "
        "padded with zeros");
    found = at::constant_pad_nd(found, {0, end - total});
  }
  return self.dim() == 2 ? at::squeeze(found, 0) : found;
}

}  // namespace at::native
