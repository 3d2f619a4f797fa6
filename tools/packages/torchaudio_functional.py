"""torchaudio: functional and module transforms that are written in Python."""

import torchaudio.functional as F
import torchaudio.transforms as T

import torch

torch.manual_seed(0)
wave = torch.randn(2, 8000)
print("spectrogram", T.Spectrogram(n_fft=256)(wave).mean().item())
mel = T.MelSpectrogram(sample_rate=8000, n_fft=256, n_mels=40)(wave)
print("mel", mel.mean().item(), T.AmplitudeToDB()(mel).mean().item())
print("mfcc", T.MFCC(sample_rate=8000, n_mfcc=13, melkwargs={"n_fft": 256, "n_mels": 40})(wave).abs().mean().item())
print("resample", F.resample(wave, 8000, 6000).abs().mean().item())
print("stretch", T.TimeStretch(n_freq=129, fixed_rate=1.2)(T.Spectrogram(256, power=None)(wave)).abs().mean().item())
print("mask", T.FrequencyMasking(10)(mel).mean().item(), T.TimeMasking(10)(mel).mean().item())
print(
    "griffin", F.griffinlim(mel.new_ones(129, 20), torch.hann_window(256), 256, 64, 256, 2.0, 4, 0.9, None, False).mean().item()
)
print("mulaw", F.mu_law_encoding(wave, 256).float().mean().item(), F.convolve(wave, wave[:, :50]).abs().mean().item())
