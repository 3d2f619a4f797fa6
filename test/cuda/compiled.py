"""Kernels that a program brings as text: torch.cuda.jiterator and torch.cuda._compile_kernel."""

import os
import subprocess
import sys

import pytest
from gpus import two_devices

import torch
from torch.cuda import _compile, _kernel_cache, jiterator

MIX = "template <typename T> T mix(T x, T y, T alpha) { return -x + alpha * y; }"
NUMERIC = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex32, torch.complex64, torch.complex128,
    torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64,
]  # fmt: skip
# Where these are stored in less than they are computed in.
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """A cache of this test's own."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("kernels")
        patch.setenv("PYTORCH_KERNEL_CACHE_PATH", str(place))
        yield place


@pytest.fixture(scope="module")
def mix(folder):
    return jiterator._create_jit_fn(MIX, alpha=1.0)


@pytest.fixture
def compilations(monkeypatch):
    """The names of the kernels that are compiled during a test."""
    names, compile_one = [], _compile._compile

    def counted(source, name, *rest):
        names.append(name)
        return compile_one(source, name, *rest)

    monkeypatch.setattr(_compile, "_compile", counted)
    return names


def values(*sizes, dtype=torch.float32):
    if dtype.is_complex or dtype.is_floating_point:
        return torch.randn(*sizes, dtype=WIDER.get(dtype, dtype)).to(dtype)
    return torch.randint(0, 60, sizes).to(dtype)


# --- jiterator ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC)
def test_every_type(mix, dtype):
    x, y = values(100, dtype=dtype), values(100, dtype=dtype)
    result = mix(x.cuda(), y.cuda(), alpha=2)
    wide = WIDER.get(dtype, torch.int64 if not dtype.is_floating_point and not dtype.is_complex else dtype)
    expected = (-x.to(wide) + 2 * y.to(wide)).to(dtype)
    assert result.dtype == dtype and result.is_cuda
    torch.testing.assert_close(result.cpu().to(wide), expected.to(wide))


def test_bool():
    both = jiterator._create_jit_fn("template <typename T> T both(T x, T y) { return x && !y; }")
    x, y = torch.randn(50) > 0, torch.randn(50) > 0
    assert torch.equal(both(x.cuda(), y.cuda()).cpu(), x & ~y)


def test_a_function_of_booleans_of_other_types():
    positive = jiterator._create_jit_fn("template <typename T> bool positive(T x) { return x > 0; }")
    assert positive(torch.tensor([-1.0, 2.0]).cuda()).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("special", [0.0, -0.0, 65504.0, 65520.0, 6e-8, 1e-30, 3.4e38, float("inf"), float("nan"), 1.0009765625])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rounding_to_half_types(dtype, special):
    scaled = jiterator._create_jit_fn("template <typename T> T scaled(T x, T by) { return x * by; }", by=1.0)
    for factor in (special, -special):
        result = scaled(torch.ones(1, dtype=dtype).cuda(), by=factor).cpu()
        assert torch.equal(result.view(torch.int16), torch.tensor([factor]).to(dtype).view(torch.int16)) or result.isnan().all()
        assert result.isnan().item() == (factor != factor)


def test_promotion(mix):
    x, y = torch.arange(6), values(6)
    result = mix(x.cuda(), y.cuda())
    assert result.dtype == torch.float32
    torch.testing.assert_close(result.cpu(), y - x)
    assert mix(torch.ones(2, dtype=torch.int32).cuda(), torch.tensor(2).cuda()).dtype == torch.int32
    assert mix(values(2, dtype=torch.float16).cuda(), torch.tensor(2.0, dtype=torch.float64).cuda()).dtype == torch.float16
    z = values(6, dtype=torch.complex64)
    torch.testing.assert_close(mix(x.cuda(), z.cuda()).cpu(), z - x)


def layouts():
    yield values(4, 5, 6), values(5, 1)
    yield values(5, 4).t(), values(4, 5)
    yield values(8, 10)[::2, ::5], values(1).expand(4, 2)
    yield values(2, 3, 4, 5).to(memory_format=torch.channels_last), values(3, 1, 1)
    yield values(3, 4, 5).permute(2, 0, 1), values(3, 5, 4).permute(1, 0, 2)
    yield values(2, 3, 4, 5, 6)[:, ::2, :, ::2, 1:].transpose(0, 3), values(3, 2, 4, 2, 1)
    yield torch.tensor(2.0), torch.tensor(3.0)
    yield values(0, 3), values(3)
    yield values(1000, 130)[:, ::2], values(65)


@pytest.mark.parametrize("case", range(len(list(layouts()))))
def test_layouts(mix, case):
    x, y = list(layouts())[case]
    result = mix(x.cuda(), y.cuda(), alpha=3.0)
    expected = -x + 3 * y
    assert result.shape == expected.shape and result.stride() == expected.stride()
    torch.testing.assert_close(result.cpu(), expected)


def test_lazy_conjugate(mix):
    z = values(4, dtype=torch.complex64)
    torch.testing.assert_close(mix(z.cuda().conj(), z.cuda()).cpu(), z - z.conj().resolve_conj())
    torch.testing.assert_close(mix(z.cuda().conj().imag, z.cuda().real).cpu(), z.real + z.imag)


def test_numbers(mix):
    x, y = values(5), values(5)
    for alpha in (2, 0.5, True):
        torch.testing.assert_close(mix(x.cuda(), y.cuda(), alpha=alpha).cpu(), -x + alpha * y)
    torch.testing.assert_close(mix(x.cuda(), y.cuda()).cpu(), y - x)
    z = values(5, dtype=torch.complex128)
    torch.testing.assert_close(mix(z.cuda(), z.cuda(), alpha=1 + 2j).cpu(), (1 + 2j) * z - z)
    masked = jiterator._create_jit_fn("template <typename T> T masked(T x, T m, bool on) { return on ? x * m : x; }", on=False)
    assert torch.equal(masked(x.cuda(), y.cuda()).cpu(), x)
    assert torch.equal(masked(x.cuda(), y.cuda(), on=True).cpu(), x * y)


def test_several_functions_and_comments():
    code = """
    // template <typename T> T no(T x) { return x; }
    template <typename T, typename U = T> inline T helper(const T& x) { return x * x; } /* { */
    template <typename T>
    T square_sum(T x,  // the first
                 const T& y) {
      return helper(x) + helper(y);
    }
    """
    function = jiterator._create_jit_fn(code)
    assert function.kernel_name == "square_sum"
    assert function(torch.tensor([3.0]).cuda(), torch.tensor([4.0]).cuda()).tolist() == [25.0]


def test_eight_tensors():
    names = ", ".join(f"T x{k}" for k in range(8))
    total = jiterator._create_jit_fn(
        f"template <typename T> T total({names}) {{ return {' + '.join(f'x{k}' for k in range(8))}; }}"
    )
    tensors = [values(3, 4) for _ in range(8)]
    torch.testing.assert_close(total(*(x.cuda() for x in tensors)).cpu(), torch.stack(tensors).sum(0))


def test_two_results():
    code = "template <typename T> T both(T x, T y, T& sum, T& difference) { sum = x + y; difference = x - y; }"
    both = jiterator._create_multi_output_jit_fn(code, num_outputs=2)
    x, y = values(4, 3).t(), values(3, 1)
    sums, differences = both(x.cuda(), y.cuda())
    assert torch.equal(sums.cpu(), x + y) and torch.equal(differences.cpu(), x - y)
    assert sums.stride() == differences.stride() == (x + y).stride()


def test_one_and_eight_results():
    code = "template <typename T> void next(T x, T step, T& y) { y = x + step; }"
    assert jiterator._create_multi_output_jit_fn(code, 1, step=2)(torch.ones(1).cuda()).tolist() == [3.0]
    outputs = ", ".join(f"T& y{k}" for k in range(8))
    code = f"template <typename T> void all(T x, {outputs}) {{ {' '.join(f'y{k} = x + {k};' for k in range(8))} }}"
    results = jiterator._create_multi_output_jit_fn(code, 8)(torch.arange(3).cuda())
    assert [y.tolist() for y in results] == [[k, k + 1, k + 2] for k in range(8)]


COMPLEX = "exp log sqrt sinh cosh tanh sin".split()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_functions_of_complex_numbers(dtype):
    outputs = ", ".join(f"T& y{k}" for k in range(8))
    lines = [f"y{k} = {'std::' * (k % 2)}{name}(z);" for k, name in enumerate(COMPLEX)]
    code = f"template <typename T> void functions(T z, {outputs}) {{ {' '.join(lines)} y7 = T(std::abs(z), std::arg(z)); }}"
    z = values(100, dtype=dtype)
    *results, polar = jiterator._create_multi_output_jit_fn(code, 8)(z.cuda())
    for name, result in zip(COMPLEX, results):
        torch.testing.assert_close(result.cpu(), getattr(torch, name)(z), msg=lambda text: f"{name}: {text}")
    torch.testing.assert_close(polar.cpu(), torch.complex(z.abs(), z.angle()))


def test_quotients_and_powers():
    code = "template <typename T> void f(T x, T y, T& q, T& p, T& c) { q = x / y; p = std::pow(x, y); c = std::conj(x) * 2.0f; }"
    x, y = values(50, dtype=torch.complex64), values(50, dtype=torch.complex64)
    q, p, c = (result.cpu() for result in jiterator._create_multi_output_jit_fn(code, 3)(x.cuda(), y.cuda()))
    torch.testing.assert_close(q, x / y)
    torch.testing.assert_close(p, x**y, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(c, (x.conj() * 2).resolve_conj())


@pytest.mark.parametrize(
    "code", ["", "foo", "T f(T x) { return x; }", "template <typename T> f(T x) { return x; }", "template <typename T> T f(T x)",
             "template <typename T> Tf(T x) { return x; }", "template <typename T> T f() { return 1; }",
             "template <typename T> T f(T x) { return x;"],
)  # fmt: skip
def test_code_that_is_no_function_template(code):
    with pytest.raises(ValueError, match="jiterator"):
        jiterator._create_jit_fn(code)


def test_wrong_calls(mix):
    x = torch.ones(2).cuda()
    with pytest.raises(RuntimeError, match="argument 1: expected a tensor on a GPU, got one on cpu"):
        mix(x, torch.ones(2))
    with pytest.raises(TypeError, match="argument 1: expected a tensor, got float; give numbers by keyword"):
        mix(x, 2.0)
    with pytest.raises(TypeError, match="mix: takes 2 tensors"):
        mix(x)
    with pytest.raises(TypeError, match="mix: takes 2 tensors"):
        mix(x, x, x)
    with pytest.raises(RuntimeError, match="up to 8 tensors, got 9"):
        mix(*[x] * 9)
    with pytest.raises(KeyError, match="there is no number beta; its numbers: alpha"):
        mix(x, x, beta=1)
    with pytest.raises(TypeError, match="alpha must be a number, got str"):
        mix(x, x, alpha="1")
    with pytest.raises(RuntimeError, match="size of tensor"):
        mix(x, torch.ones(3).cuda())
    with pytest.raises(NotImplementedError, match="float8"):
        mix(*[x.to(torch.float8_e5m2)] * 2)
    with pytest.raises(ValueError, match="none is left for a tensor"):
        jiterator._create_jit_fn("template <typename T> T f(T x) { return x; }", alpha=1)
    with pytest.raises(ValueError, match=r"assigns 1 results \(T&\), but num_outputs is 2"):
        jiterator._create_multi_output_jit_fn("template <typename T> void f(T x, T& y) { y = x; }", 2)
    with pytest.raises(ValueError, match="num_outputs must be 1 to 8, got 9"):
        jiterator._create_multi_output_jit_fn("template <typename T> void f(T x, T& y) { y = x; }", 9)


def test_code_that_does_not_compile():
    wrong = jiterator._create_jit_fn("template <typename T> T wrong(T x) {\n  return undeclared(x);\n}")
    with pytest.raises(RuntimeError, match="(?s)does not compile.*wrong.*2.*undeclared"):
        wrong(torch.ones(1).cuda())


@two_devices
def test_second_gpu(mix):
    x = torch.arange(4.0)
    assert mix(x.to("cuda:1"), x.to("cuda:1")).device == torch.device("cuda:1")
    with pytest.raises(RuntimeError, match="argument 1: expected a tensor on cuda:0, got one on cuda:1"):
        mix(x.cuda(), x.to("cuda:1"))


def test_current_stream(mix):
    first = torch.zeros(1000).cuda()
    side = torch.cuda.Stream()
    first.add_(1)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        second = mix(first, first, alpha=3.0)
    torch.cuda.current_stream().wait_stream(side)
    assert torch.equal(second.cpu(), torch.full((1000,), 2.0))


# --- files --------------------------------------------------------------------------------------------------------


def test_kernels_are_kept(folder, compilations, monkeypatch):
    code = "template <typename T> T kept(T x) { return x + 41; }"
    x = torch.ones(1).cuda()
    assert jiterator._create_jit_fn(code)(x).tolist() == [42.0] and len(compilations) == 1
    assert jiterator._create_jit_fn(code)(x).tolist() == [42.0] and len(compilations) == 1
    monkeypatch.setattr(_compile, "_loaded", {})
    assert jiterator._create_jit_fn(code)(x).tolist() == [42.0] and len(compilations) == 1
    assert jiterator._create_jit_fn(code)(x.double()).tolist() == [42.0] and len(compilations) == 2
    program = (
        "import torch; from torch.cuda import _compile, jiterator; _compile._compile = None\n"
        f"print(jiterator._create_jit_fn({code!r})(torch.ones(1).cuda()).item())"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.stdout == "42.0\n", done.stderr
    assert all(len(name) == 64 for name in os.listdir(folder))


def test_without_files(compilations, monkeypatch, tmp_path):
    code = "template <typename T> T loose(T x) { return x + 1; }"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYTORCH_KERNEL_CACHE_PATH", str(tmp_path / "file" / "folder"))
    for k in (1, 2):
        monkeypatch.setattr(_compile, "_loaded", {})
        assert jiterator._create_jit_fn(code)(torch.ones(1).cuda()).tolist() == [2.0] and len(compilations) == k
    monkeypatch.setenv("PYTORCH_KERNEL_CACHE_PATH", str(tmp_path / "unused"))
    monkeypatch.setenv("USE_PYTORCH_KERNEL_CACHE", "0")
    monkeypatch.setattr(_compile, "_loaded", {})
    assert jiterator._create_jit_fn(code)(torch.ones(1).cuda()).tolist() == [2.0] and len(compilations) == 3
    assert not (tmp_path / "unused").exists()


def test_folder(monkeypatch):
    monkeypatch.delenv("PYTORCH_KERNEL_CACHE_PATH")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert _kernel_cache.folder() == "/cache/torch/kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert _kernel_cache.folder() == os.path.expanduser("~/.cache/torch/kernels")


# --- _compile_kernel ----------------------------------------------------------------------------------------------

ADD = """
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
"""
REVERSE = """
template <typename T>
__global__ void reverse(T* x) {
  extern __shared__ double parts[];
  T* own = reinterpret_cast<T*>(parts);
  x += blockIdx.x * blockDim.x;
  own[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
}
"""
NUMBERS = """
__global__ void numbers(double* out, bool a, signed char b, unsigned short c, int d, long long e, float f, double g) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g;
}
"""
POSITION = """
__global__ void position(int* out) {
  __shared__ int first;
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) first = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  __syncthreads();
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[first * blockDim.x * blockDim.y * blockDim.z + thread] = first * 1000 + thread;
}
"""


@pytest.fixture(scope="module")
def add(folder):
    return torch.cuda._compile_kernel(ADD, "add")


def test_a_kernel(add):
    x, y = values(1000), values(1000)
    z = torch.zeros(1000).cuda()
    assert add(grid=(4, 1, 1), block=(256, 1, 1), args=(x.cuda(), y.cuda(), z, 1000)) is None
    assert torch.equal(z.cpu(), x + y)
    add((1, 1, 1), (32, 1, 1), (x.cuda(), x.cuda(), z, 10))
    assert torch.equal(z.cpu(), torch.cat([x[:10] * 2, (x + y)[10:]]))


@pytest.mark.parametrize("dtype, name", [(torch.float32, "float"), (torch.int64, "long long")])
def test_shared_memory_and_templates(dtype, name):
    reverse = torch.cuda._compile_kernel(REVERSE, f"reverse<{name}>")
    x = values(6, 64, dtype=dtype)
    on_gpu = x.cuda()
    reverse.set_shared_memory_config(64 * x.itemsize)
    reverse((6, 1, 1), (64, 1, 1), (on_gpu,), shared_mem=64 * x.itemsize)
    assert torch.equal(on_gpu.cpu(), x.flip(1))


def test_grid_and_block():
    position = torch.cuda._compile_kernel(POSITION, "position")
    out = torch.zeros(24 * 30, dtype=torch.int32).cuda()
    position((2, 3, 4), (5, 3, 2), (out,))
    assert torch.equal(out.cpu().view(24, 30), (torch.arange(24)[:, None] * 1000 + torch.arange(30)).int())


def test_numbers_have_the_size_of_the_parameter():
    numbers = torch.cuda._compile_kernel(NUMBERS, "numbers")
    out = torch.zeros(7, dtype=torch.float64).cuda()
    numbers(args=[out, True, -3, 65535, -(2**31), 2**40, 0.1, 0.1])
    assert out.tolist() == [1, -3, 65535, -(2**31), 2**40, torch.tensor(0.1).item(), 0.1]
    with pytest.raises(OverflowError, match="argument 3: 65536 does not fit"):
        numbers(args=[out, True, 0, 65536, 0, 0, 0.0, 0.0])
    with pytest.raises(TypeError, match="argument 1: 0.5 does not fit"):
        numbers(args=[out, 0.5, 0, 0, 0, 0, 0.0, 0.0])


def test_options_and_headers(tmp_path):
    (tmp_path / "seven.h").write_text("#define SEVEN 7\n")
    source = "#include <seven.h>\n__global__ void set(int* x) { *x = SEVEN + MORE; }"
    x = torch.zeros(1, dtype=torch.int32).cuda()
    capability = "{}.{}".format(*torch.cuda.get_device_capability())
    kernel = torch.cuda._compile_kernel(source, "set", capability, cuda_include_dirs=[str(tmp_path)], nvcc_options=["-DMORE=1"])
    kernel(args=(x,))
    assert x.item() == 8


def test_pinned_memory(add):
    x, z = torch.ones(32).pin_memory(), torch.zeros(32).cuda()
    add(block=(32, 1, 1), args=(x, x, z, 32))
    assert z.tolist() == [2.0] * 32


def test_stream_and_graph(add):
    x = torch.zeros(64).cuda()
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        x.fill_(1)
    add(block=(64, 1, 1), args=(x, x, x, 64), stream=side)
    side.synchronize()
    assert x.tolist() == [2.0] * 64
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(block=(64, 1, 1), args=(x, x, x, 64))
    assert x.tolist() == [2.0] * 64
    graph.replay()
    graph.replay()
    assert x.tolist() == [8.0] * 64


@two_devices
def test_the_gpu_of_the_tensors(add):
    x = torch.ones(8, device="cuda:1")
    add(block=(8, 1, 1), args=(x, x, x, 8))
    assert x.tolist() == [2.0] * 8 and torch.cuda.current_device() == 0
    with pytest.raises(ValueError, match=r"on one GPU, got GPUs \[0, 1\]"):
        add(args=(x, x.to("cuda:0"), x, 8))


def test_wrong_launches(add):
    x = torch.ones(8).cuda()
    with pytest.raises(TypeError, match="the kernel has 4 parameters, got 3 arguments"):
        add(args=(x, x, 8))
    with pytest.raises(ValueError, match="argument 1: expected a tensor on a GPU or in pinned memory, got one on cpu"):
        add(args=(x, torch.ones(8), x, 8))
    with pytest.raises(TypeError, match="argument 3: expected a tensor, int, float or bool, got str"):
        add(args=(x, x, x, "8"))
    with pytest.raises(TypeError, match="argument 3: the parameter has 4 bytes and is no pointer"):
        add(args=(x, x, x, x))
    with pytest.raises(ValueError, match="block: expected up to three positive sizes"):
        add(block=(0, 1, 1), args=(x, x, x, 8))
    with pytest.raises(RuntimeError, match="cudaErrorInvalidConfiguration"):
        add(block=(2048, 1, 1), args=(x, x, x, 8))
    with pytest.raises(RuntimeError, match="bytes of shared memory"):
        add.set_shared_memory_config(10**9)
    add(block=(8, 1, 1), args=(x, x, x, 8))
    assert x.tolist() == [2.0] * 8


def test_wrong_sources():
    with pytest.raises(RuntimeError, match="(?s)bad: the kernel does not compile.*bad.cu.*2.*undeclared"):
        torch.cuda._compile_kernel("__global__ void bad(int* x) {\n  *x = undeclared;\n}", "bad")
    with pytest.raises(RuntimeError, match="(?s)does not compile.*other"):
        torch.cuda._compile_kernel(ADD, "other")
    with pytest.raises(TypeError, match="kernel_source must be a str"):
        torch.cuda._compile_kernel(3, "f")
    with pytest.raises(ValueError, match="kernel_name is empty"):
        torch.cuda._compile_kernel(ADD, "")
    with pytest.raises(ValueError, match="expected a compute_capability"):
        torch.cuda._compile_kernel(ADD, "add", compute_capability="new")
    with pytest.raises(TypeError, match="nvcc_options must be a list"):
        torch.cuda._compile_kernel(ADD, "add", nvcc_options="-O3")
