"""Optimizers on a CUDA device: beside the CPU, captured in graphs, without waits; scalers of gradients, averages, clipping."""

import collections
import pickle

import pytest

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

SETTINGS = [
    ("Adadelta", {}), ("Adadelta", {"weight_decay": 0.1, "maximize": True}),
    ("Adagrad", {}), ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adam", {}), ("Adam", {"weight_decay": 0.1}), ("Adam", {"amsgrad": True, "maximize": True}),
    ("AdamW", {}), ("AdamW", {"weight_decay": 0.1, "amsgrad": True}),
    ("Adamax", {}), ("Adamax", {"weight_decay": 0.1}),
    ("ASGD", {}), ("ASGD", {"t0": 2, "lambd": 0.1, "weight_decay": 0.1}),
    ("NAdam", {}), ("NAdam", {"weight_decay": 0.1}), ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {}), ("RAdam", {"weight_decay": 0.1}), ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RMSprop", {}), ("RMSprop", {"momentum": 0.9}), ("RMSprop", {"centered": True, "weight_decay": 0.1}),
    ("Rprop", {}), ("Rprop", {"maximize": True}),
    ("SGD", {}), ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
]  # fmt: skip
CAPTURABLE = [case for case in SETTINGS if case[0] not in ("Adagrad", "SGD")]
FUSED = ("Adagrad", "Adam", "AdamW", "SGD")


def ways(name):
    """The settings that choose how a step is computed."""
    result = [{}, {"foreach": True}, {"foreach": False}]
    if name in FUSED:
        result += [{"fused": True}, {"fused": False}]
    if name not in ("Adagrad", "SGD"):
        result += [{**way, "capturable": True} for way in result]
    return result


def trained(name, device, dtype=torch.float32, steps=6, **settings):
    """Parameters after some steps, and the optimizer. The number of the step reaches what bias corrections and rates do."""
    torch.manual_seed(0)
    params = [nn.Parameter(torch.randn(4 + k, 3, dtype=dtype).to(device)) for k in range(3)]
    params.append(nn.Parameter(torch.randn((), dtype=dtype).to(device)))
    optimizer = getattr(torch.optim, name)(params, **{"lr": 0.1, **settings})
    for _ in range(steps):
        for parameter in params:
            parameter.grad = torch.randn(parameter.shape, dtype=dtype).to(device)
        optimizer.step()
    return [parameter.detach().cpu() for parameter in params], optimizer


def counts(f):
    """The calls of CUDA in f, after one to warm up."""
    f()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        f()
    return collections.Counter(event.name for event in seen.events() if event.name.startswith("cuda"))


@pytest.mark.parametrize(
    "name, settings",
    [("Adafactor", {}), ("Adafactor", {"weight_decay": 0.1, "maximize": True}), ("Muon", {}), ("Muon", {"nesterov": False})],
)
def test_optimizers_that_step_one_by_one(name, settings):
    results = {}
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        params = [nn.Parameter(torch.randn(4 + k, 3).to(device)) for k in range(3)]
        optimizer = getattr(torch.optim, name)(params, lr=0.1, **settings)
        for _ in range(4):
            for parameter in params:
                parameter.grad = torch.randn(parameter.shape).to(device)
            optimizer.step()
        results[device] = [parameter.detach().cpu() for parameter in params]
    # Muon computes in bfloat16, where sums of another order differ.
    tolerance = {"rtol": 0.02, "atol": 0.02} if name == "Muon" else {"rtol": 1e-5, "atol": 1e-6}
    torch.testing.assert_close(results["cuda"], results["cpu"], **tolerance)


class without_waits:
    def __enter__(self):
        torch.cuda.set_sync_debug_mode("error")

    def __exit__(self, *error):
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("name, settings", SETTINGS)
def test_numbers_are_those_of_the_cpu(name, settings):
    expected, _ = trained(name, "cpu", **settings)
    for way in ways(name):
        found, _ = trained(name, "cuda", **settings, **way)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=2e-6, msg=lambda text, way=way: f"{way}: {text}")


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "NAdam", "ASGD", "Adagrad"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.complex64])
def test_other_types(name, dtype):
    expected, _ = trained(name, "cpu", dtype)
    tolerance = {"rtol": 0.1, "atol": 0.1} if dtype is torch.bfloat16 else {"rtol": 1e-4, "atol": 1e-5}
    for way in ways(name):
        if dtype.is_complex and way.get("fused"):
            continue
        found, _ = trained(name, "cuda", dtype, **way)
        torch.testing.assert_close(found, expected, **tolerance)


def one_parameter(name, **settings):
    parameter = nn.Parameter(torch.linspace(-1.0, 1.0, 5, device="cuda"))
    parameter.grad = torch.linspace(0.5, -2.0, 5, device="cuda")
    return parameter, getattr(torch.optim, name)([parameter], **settings)


@pytest.mark.parametrize("name, settings", CAPTURABLE)
def test_captured_steps_count_on(name, settings):
    for way in ways(name):
        if not way.get("capturable"):
            continue
        for lr in (0.1, torch.tensor(0.1, device="cuda")):
            eager, plain = one_parameter(name, lr=lr, **settings, **way)
            replayed, captured = one_parameter(name, lr=lr.clone() if isinstance(lr, torch.Tensor) else lr, **settings, **way)
            plain.step()
            captured.step()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured.step()
            for number in range(4):
                if number == 2 and isinstance(lr, torch.Tensor):  # a new rate, where the graph reads it
                    for group in (plain.param_groups[0], captured.param_groups[0]):
                        group["lr"].fill_(0.03)
                plain.step()
                graph.replay()
                replayed.grad.mul_(0.7)
                eager.grad.mul_(0.7)
            assert torch.equal(eager, replayed), (way, lr)
            assert plain.state[eager]["step"].item() == captured.state[replayed]["step"].item() == 5


@pytest.mark.parametrize("name", sorted({name for name, _ in CAPTURABLE}))
def test_a_step_without_capturable_is_not_captured(name):
    _, optimizer = one_parameter(name)
    optimizer.step()
    with pytest.raises(RuntimeError, match=rf"{name}.step\(\) is being captured .* capturable=False"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            optimizer.step()


def test_a_rate_that_falls_is_not_captured():
    _, optimizer = one_parameter("Adagrad", lr_decay=0.5)
    optimizer.step()
    with pytest.raises(RuntimeError, match="Adagrad"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        optimizer.step()


def test_sgd_is_captured():
    eager, plain = one_parameter("SGD", lr=torch.tensor(0.1, device="cuda"), momentum=0.9)
    replayed, captured = one_parameter("SGD", lr=torch.tensor(0.1, device="cuda"), momentum=0.9)
    plain.step()
    captured.step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured.step()
    for _ in range(3):
        plain.step()
        graph.replay()
    assert torch.equal(eager, replayed)


def many(number=30):
    params = [nn.Parameter(torch.ones(4, device="cuda")) for _ in range(number)]
    for parameter in params:
        parameter.grad = torch.ones(4, device="cuda")
    return params


@pytest.mark.parametrize("name", sorted({name for name, _ in SETTINGS}))
def test_no_step_waits(name):
    for way in ways(name):
        optimizer = getattr(torch.optim, name)(many(3), **way)
        optimizer.step()
        with without_waits():
            optimizer.step()


@pytest.mark.parametrize("name", sorted({name for name, _ in SETTINGS}))
def test_a_step_is_few_launches(name):
    limit = 2 if name in ("Adam", "AdamW", "SGD") else 45
    for way in ways(name):
        if way.get("foreach") is False or way.get("fused") is False:
            continue
        called = counts(getattr(torch.optim, name)(many(), **way).step)
        assert called["cudaLaunchKernel"] <= limit, (way, called)
        assert not called["cudaMemcpyAsync"] and not called["cudaStreamSynchronize"], (way, called)


def test_where_counters_are():
    places = {
        (name, *way): one_parameter(name, **dict.fromkeys(way, True))
        for name in ("Adam", "RMSprop", "ASGD")
        for way in ((), ("capturable",))
    }
    places["Adam", "fused"] = one_parameter("Adam", fused=True)
    for (name, *way), (parameter, optimizer) in places.items():
        optimizer.step()
        expected = "cuda" if way or name == "ASGD" else "cpu"
        assert optimizer.state[parameter]["step"].device.type == expected, (name, way)
        state = optimizer.state_dict()
        optimizer.load_state_dict(state)
        assert optimizer.state[parameter]["step"].device.type == expected, (name, way)
        assert optimizer.state[parameter]["step"].item() == 1
        # A counter that was saved on the other device comes to where this optimizer has it.
        if way:
            state["state"][0]["step"] = torch.tensor(7.0)
            optimizer.load_state_dict(state)
            assert optimizer.state[parameter]["step"].device.type == "cuda"
            optimizer.step()
            assert optimizer.state[parameter]["step"].item() == 8


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two devices")
@pytest.mark.parametrize("name", ["Adagrad", "Adam", "RMSprop", "SGD"])
def test_parameters_on_two_devices(name):
    for way in ways(name):
        params = [nn.Parameter(torch.ones(3, device=place)) for place in ("cuda:0", "cuda:1", "cuda:0", "cpu")]
        parts = [params[:3]] + [params[3:]] * (not way.get("capturable"))
        optimizers = [getattr(torch.optim, name)(part, lr=0.1, **way) for part in parts]
        for _ in range(3):
            for parameter in params:
                parameter.grad = torch.linspace(0.5, 1.0, 3).to(parameter.device)
            for optimizer in optimizers:
                optimizer.step()
        torch.testing.assert_close(params[0].cpu(), params[1].cpu())
        torch.testing.assert_close(params[0].cpu(), params[2].cpu())
        if len(optimizers) == 2:
            torch.testing.assert_close(params[0].cpu(), params[3])


def test_counters_on_the_wrong_device_are_refused():
    parameter, optimizer = one_parameter("NAdam")
    optimizer.step()
    optimizer.param_groups[0]["capturable"] = True
    with pytest.raises(AssertionError, match="capturable=True: state"):
        optimizer.step()


def test_steps_of_functions():
    for capturable in (False, True):
        place = "cuda" if capturable else "cpu"
        p, g, m, v = ([torch.full((3,), x, device="cuda")] for x in (1.0, 0.5, 0.0, 0.0))
        torch.optim.adam.adam(
            p, g, m, v, [], [torch.zeros((), device=place)], capturable=capturable, amsgrad=False, beta1=0.9, beta2=0.999,
            lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False,
        )  # fmt: skip
        torch.testing.assert_close(p[0].cpu(), torch.full((3,), 0.9))


SCALED = [
    ("SGD", {}), ("SGD", {"fused": True, "momentum": 0.9}), ("Adam", {"fused": True}), ("AdamW", {}),
    ("Adagrad", {"fused": True}),
]  # fmt: skip


@pytest.mark.parametrize("name, settings", SCALED)
def test_scaler(name, settings):
    def run(device, scale):
        torch.manual_seed(0)
        model = nn.Linear(3, 2).to(device)
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1, **settings)
        scaler = torch.amp.GradScaler(device, init_scale=scale, growth_interval=2, enabled=scale is not None)
        for number in range(5):
            optimizer.zero_grad()
            loss = model(torch.ones(2, 3, device=device)).square().sum() * (float("inf") if number == 1 and scale else 1.0)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        return [p.detach().cpu() for p in model.parameters()], scaler, optimizer

    found, scaler, optimizer = run("cuda", 8.0)
    expected, of_cpu, _ = run("cpu", 8.0)
    torch.testing.assert_close(found, expected)
    assert scaler.state_dict() == of_cpu.state_dict() and scaler.get_scale() == 8.0
    assert scaler._scale.is_cuda and scaler._growth_tracker.is_cuda
    assert pickle.loads(pickle.dumps(scaler)).state_dict() == scaler.state_dict()
    if name == "Adam":  # the step with infinite gradients was none
        assert [state["step"].item() for state in optimizer.state.values()] == [4, 4]


def test_what_of_a_scaler_waits():
    (parameter,) = params = many(1)
    scaler = torch.amp.GradScaler()
    for settings in ({"fused": True}, {}):
        optimizer = torch.optim.Adam(params, **settings)
        loss = parameter.sum()
        scaler.scale(loss)
        optimizer.step()
        with without_waits():
            scaler.scale(loss).backward()
            if settings:
                scaler.step(optimizer)
            else:
                scaler.unscale_(optimizer)
                with pytest.raises(RuntimeError, match="waits for cuda"):
                    scaler.step(optimizer)
            scaler.update()


def test_scaled_losses_are_captured():
    model, x = nn.Linear(4, 2).cuda(), torch.randn(3, 4, device="cuda")
    scaler, optimizer = torch.amp.GradScaler(init_scale=4.0), torch.optim.SGD(model.parameters(), lr=0.1)
    scaler.scale(model(x).sum()).backward()
    optimizer.zero_grad()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scaler.scale(model(x).sum()).backward()
    graph.replay()
    torch.testing.assert_close(model.weight.grad.cpu(), 4 * x.sum(0).expand(2, 4).cpu())
    scaler.step(optimizer)
    scaler.update()


@pytest.mark.parametrize("kind", ["swa", "ema"])
def test_averaged_models(kind):
    averages = {}
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
        rule = {"multi_avg_fn": torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)} if kind == "ema" else {}
        average = torch.optim.swa_utils.AveragedModel(model, **rule).to(device)
        model.to(device)
        for _ in range(3):
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.mul_(0.8)
            average.update_parameters(model)
        averages[device] = [parameter.detach().cpu() for parameter in average.parameters()]
    torch.testing.assert_close(averages["cuda"], averages["cpu"])


def test_clipping_gradients():
    params = many()
    limit = {"cudaLaunchKernel": 10}
    for way in (None, True):
        called = counts(lambda way=way: nn.utils.clip_grad_norm_(params, 1.0, foreach=way))
        assert called["cudaLaunchKernel"] <= limit["cudaLaunchKernel"] and not called["cudaMemcpyAsync"], called
    for norm in (1.0, 2.0, 3.0, float("inf")):
        torch.manual_seed(0)
        for parameter in params:
            parameter.grad = torch.randn(4).cuda()
        others = [nn.Parameter(parameter.detach().cpu()) for parameter in params]
        for parameter, other in zip(params, others):
            other.grad = parameter.grad.cpu()
        total = nn.utils.clip_grad_norm_(params, 1.0, norm)
        torch.testing.assert_close(total.cpu(), nn.utils.clip_grad_norm_(others, 1.0, norm))
        torch.testing.assert_close([p.grad.cpu() for p in params], [p.grad for p in others])
    called = counts(lambda: nn.utils.clip_grad_value_(params, 0.01))
    assert called["cudaLaunchKernel"] <= 2, called
    assert all(p.grad.abs().max() <= 0.01 for p in params)


def test_zero_grad():
    params = many()
    optimizer = torch.optim.SGD(params, lr=0.1)
    called = counts(lambda: optimizer.zero_grad(set_to_none=False))
    assert called["cudaLaunchKernel"] + called["cudaMemsetAsync"] <= 2, called
    assert all(not p.grad.any() for p in params)
    with torch.enable_grad():  # a gradient that belongs to a graph is left to the graph
        params[0].grad = params[0] * 2
    optimizer.zero_grad(set_to_none=False)
    assert params[0].grad.grad_fn is None and not params[0].grad.any()


def test_lbfgs():
    found = {}
    for device in ("cpu", "cuda"):
        x = nn.Parameter(torch.tensor([-1.2, 1.0]).to(device))
        optimizer = torch.optim.LBFGS([x], max_iter=30, line_search_fn="strong_wolfe")

        def closure(x=x, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        found[device] = x.detach().cpu()
    torch.testing.assert_close(found["cuda"], found["cpu"], rtol=1e-3, atol=1e-3)
