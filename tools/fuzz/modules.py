"""The second generator: stacks of modules that are trained for a few steps by a random optimizer.

All random numbers come from torch.manual_seed. Active dropout draws from MKL in PyTorch's wheel on Intel CPUs. A stack therefore
has dropout only with probability 0, in eval mode, or as a module that masks by torch.rand. With probability 1, later layers would
see equal numbers, and a normalization would reduce them to rounding errors.
"""

from .state import State, product

TRAIN = """
def train(model, optimizer, loss, *inputs):
    results = []

    def closure():
        optimizer.zero_grad()
        found = model(*inputs)
        while isinstance(found, (tuple, list)):
            found = found[0]
        value = loss(found)
        value.backward()
        results.append(found)
        return value

    value = optimizer.step(closure)
    grads = [p.grad for p in model.parameters()]
    return [results[0].detach(), value.detach(), *grads, *(p.detach() for p in model.parameters()), *model.buffers()]
"""
FIRST = """
class First(nn.Module):
    def __init__(self, module, *, same=0):
        super().__init__()
        self.module, self.same = module, same

    def forward(self, x):
        found = self.module(*[x] * self.same) if self.same else self.module(x)
        while isinstance(found, (tuple, list)):
            found = found[0]
        return found
"""
MASK = """
class Mask(nn.Module):
    def forward(self, x):
        return x * (torch.rand(x.shape) < 0.7) / 0.7 if self.training else x
"""
RESIDUAL = """
class Residual(nn.Module):
    def __init__(self, *modules):
        super().__init__()
        self.inner = nn.Sequential(*modules)

    def forward(self, x):
        return x + self.inner(x)
"""
WIDEST = 40  # of a square matrix: all of its gradients are compared at every step
# A gradient that consists of rounding errors (of a bias before a normalization) stays far below eps.
OPTIMIZERS = """SGD(_, lr=0.05)|SGD(_, lr=0.05, momentum=0.9)
|SGD(_, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)|SGD(_, lr=0.02, maximize=True)
|Adam(_, lr=0.01, eps=1e-4)|Adam(_, lr=0.01, amsgrad=True, eps=1e-4)|AdamW(_, lr=0.01, weight_decay=0.1, eps=1e-4)
|Adagrad(_, lr=0.02, eps=1e-4)|RMSprop(_, lr=0.005, eps=1e-4)|RMSprop(_, lr=0.005, centered=True, momentum=0.5, eps=1e-4)
|Adadelta(_)|Adamax(_, lr=0.01, eps=1e-4)|NAdam(_, lr=0.01, eps=1e-4)|RAdam(_, lr=0.01, eps=1e-4)
|ASGD(_, lr=0.02)
|Rprop(_, lr=0.005)|LBFGS(_, lr=0.1, max_iter=3)""".replace("\n", "").split("|")  # fmt: skip
ACTIVATIONS = """ReLU()|ReLU(inplace=True)|GELU()|GELU('tanh')|SiLU()|SiLU(inplace=True)|Tanh()|Sigmoid()|ELU(0.7)
|CELU(0.5)|SELU()|LeakyReLU(0.1)|Softplus()
|Hardtanh()|Hardswish()|Mish()|Softsign()|LogSigmoid()|ReLU6()|Tanhshrink()|Softshrink(0.1)|PReLU()
|Hardshrink(0.1)|Threshold(0.1, 0.0)|Softmax(-1)|LogSoftmax(1)|Softmin(-1)|Identity()""".replace("\n", "").split("|")  # fmt: skip
LOSSES = """y.square().mean()|y.sum()|F.mse_loss(y, torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape))
|F.smooth_l1_loss(y, torch.zeros_like(y))
|F.binary_cross_entropy_with_logits(y, torch.full_like(y, 0.3))|y.logsumexp(-1).mean()|F.huber_loss(y, torch.ones_like(y))
|F.cross_entropy(y.flatten(1), torch.zeros(len(y), dtype=torch.long), label_smoothing=0.1)|F.l1_loss(y, torch.full_like(y, 0.05))
|y.std() + y.abs().mean()
|F.nll_loss(F.log_softmax(y.flatten(1), 1), torch.zeros(len(y), dtype=torch.long))""".replace("\n", "").split("|")  # fmt: skip


def window(n, kernel, stride=1, padding=0, dilation=1):
    return (n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


class Stack:
    """A sequence of modules; the shape is that of the data between them (batch first)."""

    def __init__(self, s, shape):
        self.s, self.shape, self.modules = s, shape, []

    def add(self, text, shape=None):
        self.modules.append(text if text[0] in "FMR" and text.split("(")[0] in ("First", "Mask", "Residual") else f"nn.{text}")
        self.shape = tuple(shape) if shape is not None else self.shape

    @property
    def spatial(self):
        return len(self.shape) - 2

    def grow(self):
        s = self.s
        kinds = [self.activation, self.normalization, self.dropout, self.residual, self.linear]
        if self.spatial:
            kinds += [self.convolution] * 3 + [self.pool] * 2 + [self.padding, self.flatten, self.resample]
        if self.spatial == 1:
            kinds += [self.recurrent, self.attention] * 2
        if self.spatial == 2:
            kinds += [self.shuffle]
        return s.choice(kinds)()

    def linear(self):
        n = self.s.choice((2, 3, 4, 6))
        bias = "" if self.s.chance(0.8) else ", bias=False"
        self.add(f"Linear({self.shape[-1]}, {n}{bias})", (*self.shape[:-1], n))

    def activation(self):
        name = self.s.choice(ACTIVATIONS)
        self.add(f"PReLU({self.shape[1]})" if name == "PReLU()" and self.s.chance(0.5) else name)

    def normalization(self):
        s, c = self.s, self.shape[1]
        names = ["LayerNorm", "RMSNorm"] + (
            ["BatchNorm1d"] if not self.spatial else [f"BatchNorm{self.spatial}d", "GroupNorm"] * 2
        )
        if self.spatial and product(self.shape[2:]) > 1:
            names += [f"InstanceNorm{self.spatial}d", "LocalResponseNorm"]
        name = s.choice(names)
        if name in ("LayerNorm", "RMSNorm"):
            last = self.shape[-1:] if s.chance(0.6) else self.shape[1:]
            return self.add(f"{name}({tuple(last)}{s.choice(('', ', elementwise_affine=False'))})")
        if name == "GroupNorm":
            return self.add(f"GroupNorm({s.choice([g for g in (1, 2, 3, 4) if c % g == 0])}, {c})")
        if name == "LocalResponseNorm":
            return self.add("LocalResponseNorm(2)")
        more = s.choice(
            ("", ", affine=False", ", momentum=0.3", ", track_running_stats=False", ", affine=True, track_running_stats=True")
        )
        if name.startswith("Batch"):
            more = s.choice((more, ", momentum=None"))
        return self.add(f"{name}({c}{more})")

    def dropout(self):
        self.add(
            self.s.choice(
                (
                    "Mask()",
                    "Dropout(0.0)",
                    "Dropout1d(0.0)" if self.spatial == 1 else "Dropout(0.0)",
                    "AlphaDropout(0.0)",
                )
            )
        )

    def residual(self):
        inner = Stack(self.s, self.shape)
        inner.activation()
        inner.normalization()
        if self.s.chance(0.5) and self.shape[-1] <= WIDEST:
            inner.add(f"Linear({self.shape[-1]}, {self.shape[-1]})")
        self.add(f"Residual({', '.join(inner.modules)})")

    def convolution(self):
        s, (n, c, *sizes) = self.s, self.shape
        groups = s.choice([g for g in (1, 1, 2, c) if c % g == 0])
        out = groups * s.choice((1, 2, 3) if groups < 3 else (1, 2))
        if s.chance(0.25):
            k, stride = s.choice((1, 2, 3)), s.choice((1, 2))
            text = f"ConvTranspose{self.spatial}d({c}, {out}, {k}, stride={stride}, groups={groups})"
            return self.fits(text, (n, out, *[(x - 1) * stride + k for x in sizes]))
        k, stride, padding, dilation = s.choice((1, 2, 3)), s.choice((1, 1, 2)), s.choice((0, 1)), s.choice((1, 1, 2))
        mode = s.choice(("", "", ", padding_mode='reflect'", ", padding_mode='circular'", ", bias=False"))
        mode = "" if "mode" in mode and padding >= min(sizes) else mode
        more = f"stride={stride}, padding={padding}, dilation={dilation}, groups={groups}{mode}"
        text = f"Conv{self.spatial}d({c}, {out}, {k}, {more})"
        return self.fits(text, (n, out, *[window(x, k, stride, padding, dilation) for x in sizes]))

    def fits(self, text, shape):
        if min(shape) > 0 and product(shape) <= 4000:
            self.add(text, shape)

    def pool(self):
        s, (n, c, *sizes) = self.s, self.shape
        d = self.spatial
        name = s.choice(("MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "LPPool"))
        if name.startswith("Adaptive"):
            k = s.choice((1, 2, 3))
            return self.add(f"{name}{d}d({k})", (n, c, *[k] * d))
        k, stride = s.choice((2, 3)), s.choice((1, 2))
        if name == "LPPool":
            return self.fits(f"LPPool{d}d(2, {k}, stride={stride})", (n, c, *[window(x, k, stride) for x in sizes]))
        more = ", count_include_pad=False" if name == "AvgPool" and s.chance(0.4) else ""
        return self.fits(f"{name}{d}d({k}, stride={stride}, padding=1{more})", (n, c, *[window(x, k, stride, 1) for x in sizes]))

    def padding(self):
        d, (n, c, *sizes) = self.spatial, self.shape
        name = self.s.choice(("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"))
        if min(sizes) > 1:
            self.add(f"{name}{d}d(1)", (n, c, *[x + 2 for x in sizes]))

    def flatten(self):
        if self.s.chance(0.4):
            self.add("Flatten()", (self.shape[0], product(self.shape[1:])))

    def resample(self):
        mode = self.s.choice(("nearest", {1: "linear", 2: "bilinear", 3: "trilinear"}[self.spatial]))
        self.fits(f"Upsample(scale_factor=2, mode='{mode}')", (*self.shape[:2], *[2 * x for x in self.shape[2:]]))

    def shuffle(self):
        n, c, h, w = self.shape
        if c % 4 == 0:
            self.add("PixelShuffle(2)", (n, c // 4, h * 2, w * 2))
        elif h % 2 == 0 and w % 2 == 0:
            self.add("PixelUnshuffle(2)", (n, c * 4, h // 2, w // 2))
        else:
            self.add(f"ChannelShuffle({c})")

    def recurrent(self):
        s, (n, t, k) = self.s, self.shape
        h, layers, both = s.choice((2, 3, 4)), s.choice((1, 1, 2)), s.chance(0.3)
        name = s.choice(("LSTM", "GRU", "RNN"))
        more = (", bidirectional=True" if both else "") + (", nonlinearity='relu'" if name == "RNN" and s.chance(0.4) else "")
        if name == "LSTM" and h > 2 and s.chance(0.3):
            more += ", proj_size=2"
        width = (2 if "proj" in more else h) * (2 if both else 1)
        self.add(f"First(nn.{name}({k}, {h}, num_layers={layers}, batch_first=True{more}))", (n, t, width))

    def attention(self):
        s, (_, _, k) = self.s, self.shape
        heads = s.choice([g for g in (1, 2, 3) if k % g == 0])
        if s.chance(0.5):
            return self.add(f"First(nn.MultiheadAttention({k}, {heads}, batch_first=True), same=3)")
        first = s.choice(("True", "False"))
        act = s.choice(("relu", "gelu"))
        return self.add(
            f"TransformerEncoderLayer({k}, {heads}, {2 * k}, dropout=0.0, activation='{act}', batch_first=True, "
            f"norm_first={first})"
        )


def fitting(dtype, modules):
    """The optimizers that are robust to a gradient that is only rounding (of a bias before a normalization)."""
    if dtype != "float64":
        return [o for o in OPTIMIZERS if o.startswith("SGD")]
    shifts = any(w in m for m in modules for w in ("Norm", "Softm", "LogSoftmax", "Attention", "Transformer"))
    return [o for o in OPTIMIZERS if not (shifts and o.startswith("Rprop"))]  # it uses only the signs


def generate(seed):
    s = State(seed)
    dtype = s.choice(("float64", "float64", "float32"))
    dims = s.choice((0, 1, 1, 2, 2, 2, 3))
    shape = (s.choice((2, 3, 4)), s.choice((2, 3, 4, 6)), *[s.choice((4, 5, 6, 8)) for _ in range(dims)])
    stack = Stack(s, shape)
    tokens = dims == 1 and s.chance(0.3)
    if tokens:
        stack.add(f"Embedding(7, {s.choice((2, 3, 4))}{s.choice(('', ', padding_idx=0'))})")
        stack.shape = (*shape[:2], int(stack.modules[0].split(", ")[1].rstrip(")")))
    for _ in range(s.rng.randint(2, 7)):
        stack.grow()
    if not any(any(w in m for w in ("Linear", "Conv", "First", "Norm", "Embedding")) for m in stack.modules):
        stack.linear()
    optimizer = s.choice(fitting(dtype, stack.modules)).replace("_", "model.parameters()", 1)
    for text in (TRAIN, FIRST, MASK, RESIDUAL):
        name = text.split("(")[0].split()[-1].rstrip(":")
        if name == "train" or any(f"{name}(" in m for m in stack.modules):
            step(s, "helper", text.strip("\n"), [])
    step(s, "manual_seed", f"torch.manual_seed({seed % 1000})", [])
    names = []
    for m in stack.modules:
        names.append(f"m{len(names)}")
        step(s, m.removeprefix("nn.").split("(")[0], f"{names[-1]} = {m}", [])
    step(s, "Sequential", f"model = nn.Sequential({', '.join(names)}).to(torch.{dtype})", [])
    # Some of the numbers from normal_ differ by one unit in the last place.
    step(s, "initialize", "for p in model.parameters(): p.data.mul_(4096).round_().div_(4096)", [])
    n = product(shape)
    # All differ: a normalization reduces channels of equal numbers to rounding errors.
    made = f"(torch.arange({n}) * 4787 % 12289 - 6144).to(torch.{dtype}).div(4400).reshape({shape})"
    if tokens:
        made = f"(torch.arange({product(shape[:2])}) * 5 % 7).reshape({shape[:2]})"
    elif dims == 2 and s.chance(0.2):
        made += ".contiguous(memory_format=torch.channels_last)"
    step(s, "input", f"x = {made}", [])
    step(s, "optimizer", f"optimizer = torch.optim.{optimizer}", [])
    # A gradient of signs may cancel to rounding, of which Rprop takes the sign.
    loss = s.choice([loss for loss in LOSSES if not ("Rprop" in optimizer and ("l1_loss" in loss or "abs()" in loss))])
    for i in range(3):
        if i == 2 and s.chance(0.3):
            step(s, "eval", "model.eval()", [])
        step(s, "train", f"r{i} = train(model, optimizer, lambda y: {loss}, x)", [f"r{i}"])
    step(s, "state_dict", "keys = ' '.join(f'{k}{tuple(v.shape)}' for k, v in model.state_dict().items())", ["keys"])
    s.program.grads = False
    return s.program


def step(s, op, code, outs):
    from .program import Step

    s.program.steps.append(Step(code, op, outs))
