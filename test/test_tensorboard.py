"""SummaryWriter: what the event files hold, read back by tensorboard."""

from __future__ import annotations

import io
import subprocess
import sys
import wave

import numpy as np
import pytest

import torch
from torch import nn

try:
    import tensorboard  # noqa: F401
except ModuleNotFoundError:
    INSTALLED = False
else:
    INSTALLED = True
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
    from tensorboard.compat.proto.graph_pb2 import GraphDef
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
    from tensorboard.util.tensor_util import make_ndarray

    from torch.utils.tensorboard import FileWriter, SummaryWriter
    from torch.utils.tensorboard._utils import _prepare_video, convert_to_HWC, make_grid

needs_tensorboard = pytest.mark.skipif(not INSTALLED, reason="the package tensorboard is not installed")


def events(folder):
    """All events of the files in a folder."""
    return [event for path in sorted(folder.glob("*tfevents*")) for event in LegacyEventFileLoader(str(path)).Load()]


def values(folder):
    """The values of all summaries by tag."""
    return {value.tag: value for event in events(folder) for value in event.summary.value}


@pytest.fixture
def writer(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        yield writer


def test_without_the_package_the_import_says_what_to_install() -> None:
    program = "import sys; sys.modules['tensorboard'] = None; import torch.utils.tensorboard"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in done.stderr
    assert "pip install tensorboard" in done.stderr


@needs_tensorboard
def test_scalars(writer, tmp_path) -> None:
    writer.add_scalar("plain", torch.tensor(0.5), 3, walltime=7.0)
    writer.add_scalar("single", 0.1, new_style=True)
    writer.add_scalar("double", 0.1, new_style=True, double_precision=True)
    writer.add_scalars("group", {"a": 1.0, "b": np.float32(2)}, 4)
    writer.flush()
    event = events(tmp_path)[1]
    assert (event.step, event.wall_time, event.summary.value[0].simple_value) == (3, 7.0, 0.5)
    found = values(tmp_path)
    assert found["single"].metadata.plugin_data.plugin_name == "scalars"
    assert make_ndarray(found["single"].tensor) == np.float32(0.1)
    assert make_ndarray(found["double"].tensor) == 0.1
    assert [values(tmp_path / f"group_{name}")["group"].simple_value for name in "ab"] == [1, 2]
    with pytest.raises(AssertionError, match="one number"):
        writer.add_scalar("two", torch.ones(2))


@needs_tensorboard
def test_histograms(writer, tmp_path) -> None:
    numbers = torch.arange(100.0).reshape(10, 10)
    writer.add_histogram("default", numbers)
    writer.add_histogram("ten", numbers, bins=10)
    writer.add_histogram("joined", numbers, bins=10, max_bins=3)
    writer.add_histogram_raw("raw", 0, 2, 3, 4.0, 5.0, [1, 2], [1, 2])
    writer.flush()
    found = {tag: value.histo for tag, value in values(tmp_path).items()}
    assert [sum(histo.bucket) for histo in found.values()] == [100, 100, 100, 3]
    assert (found["default"].min, found["default"].max, found["default"].sum) == (0, 99, 4950)
    assert found["default"].sum_squares == (numbers**2).sum().item()
    assert list(found["ten"].bucket) == [0] + [10] * 10
    assert np.allclose(found["ten"].bucket_limit, np.arange(11) * 9.9)
    assert list(found["joined"].bucket) == [0, 30, 30, 30, 10]
    with pytest.raises(ValueError, match="no elements"):
        writer.add_histogram("empty", torch.ones(0))
    with pytest.raises(ValueError, match="1 bucket_limits for 2 bucket_counts"):
        writer.add_histogram_raw("raw", 0, 2, 3, 4.0, 5.0, [1], [1, 2])


def decoded(value):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))


@needs_tensorboard
def test_images(writer, tmp_path) -> None:
    pytest.importorskip("PIL")
    picture = torch.rand(3, 20, 30)
    writer.add_image("floats", picture)
    writer.add_image("bytes", (picture * 255).to(torch.uint8))
    writer.add_image("rows_first", picture.permute(1, 2, 0), dataformats="HWC")
    writer.add_image("gray", picture[0], dataformats="HW")
    writer.add_images("batch", torch.rand(9, 1, 4, 5))
    writer.add_image_with_boxes("boxes", picture, torch.tensor([[5, 5, 15, 15]]), rescale=2, labels="x")
    writer.flush()
    found = values(tmp_path)
    expected = (picture * 255).to(torch.uint8).permute(1, 2, 0).numpy()
    assert all((decoded(found[tag]) == expected).all() for tag in ("floats", "bytes", "rows_first"))
    assert (decoded(found["gray"]) == expected[..., :1]).all()
    assert decoded(found["batch"]).shape == (8, 40, 3)
    assert decoded(found["boxes"]).shape == (40, 60, 3)
    assert decoded(found["boxes"])[20, 10, 0] > decoded(found["boxes"])[20, 10, 1:].max() + 50  # the left edge is red
    with pytest.raises(AssertionError, match="letter twice"):
        writer.add_image("bad", picture, dataformats="HHC")


@needs_tensorboard
def test_grids() -> None:
    images = np.arange(3 * 3 * 2 * 2).reshape(3, 3, 2, 2)
    grid = make_grid(images, ncols=2)
    assert (grid[:, :2, 2:] == images[1]).all()
    assert (grid[:, 2:, :2] == images[2]).all()
    assert (grid[:, 2:, 2:] == 0).all()
    assert convert_to_HWC(images[:, :1], "NCHW").shape == (2, 6, 3)
    videos = np.arange(3 * 2 * 3 * 4 * 5).reshape(3, 2, 3, 4, 5)
    frames = _prepare_video(videos)
    assert frames.shape == (2, 4, 20, 3)
    assert (frames[1, :, 10:15] == videos[2, 1].transpose(1, 2, 0)).all()
    assert _prepare_video(np.ones((4, 2, 3, 4, 5))).shape == (2, 8, 10, 3)


@needs_tensorboard
def test_videos_need_moviepy(writer, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "moviepy", None)
    monkeypatch.setitem(sys.modules, "moviepy.editor", None)
    writer.add_video("v", torch.rand(1, 2, 3, 4, 4))
    writer.flush()
    assert "pip install moviepy" in capsys.readouterr().err
    assert not values(tmp_path)["v"].HasField("image")


@needs_tensorboard
def test_figures(writer, tmp_path) -> None:
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    writer.add_figure("one", pyplot.figure(figsize=(2, 1), dpi=50), close=False)
    assert pyplot.get_fignums()
    pyplot.close("all")
    writer.add_figure("two", [pyplot.figure(figsize=(2, 1), dpi=50) for _ in range(2)])
    assert not pyplot.get_fignums()
    writer.flush()
    found = values(tmp_path)
    assert decoded(found["one"]).shape == (50, 100, 3)
    assert decoded(found["two"]).shape == (50, 200, 3)


@needs_tensorboard
def test_sounds_and_texts(writer, tmp_path, capsys) -> None:
    writer.add_audio("sound", torch.tensor([[0.0, 0.5, -1.0, 2.0]]), sample_rate=8000)
    writer.add_text("words", "*hällo*")
    writer.flush()
    assert "clipped" in capsys.readouterr().err
    found = values(tmp_path)
    audio = found["sound"].audio
    with wave.open(io.BytesIO(audio.encoded_audio_string)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (8000, 1, audio.length_frames)
        assert np.frombuffer(file.readframes(4), "<i2").tolist() == [0, 16383, -32767, 32767]
    assert found["words/text_summary"].tensor.string_val == ["*hällo*".encode()]
    with pytest.raises(AssertionError, match="one channel"):
        writer.add_audio("stereo", torch.zeros(2, 5))


@needs_tensorboard
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.int8, torch.uint8, torch.int64, torch.bool,
                                   torch.complex64, torch.complex128], ids=str)  # fmt: skip
def test_tensors(writer, tmp_path, dtype) -> None:
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    writer.add_tensor("t", tensor)
    writer.flush()
    read = make_ndarray(values(tmp_path)["t"].tensor)
    assert read.tolist() == tensor.tolist()
    assert read.dtype == tensor.numpy().dtype


@needs_tensorboard
def test_tensors_that_the_protocol_has_not(writer) -> None:
    with pytest.raises(ValueError, match="uint16"):
        writer.add_tensor("t", torch.ones(2, dtype=torch.uint16))


@needs_tensorboard
def test_precision_and_recall(writer, tmp_path) -> None:
    labels, predictions = torch.tensor([0, 1, 1, 0]), torch.tensor([0.1, 0.4, 0.9, 0.6])
    writer.add_pr_curve("curve", labels, predictions, num_thresholds=3)
    raw = [[2, 1], [1, 0], [1, 2], [0, 1], [0.5, 1.0], [1.0, 0.5]]
    writer.add_pr_curve_raw("raw", *raw, num_thresholds=2)
    writer.flush()
    found = values(tmp_path)
    tp, fp, tn, fn, precision, recall = make_ndarray(found["curve"].tensor)
    assert (tp.tolist(), fp.tolist(), tn.tolist(), fn.tolist()) == ([2, 1, 0], [2, 1, 0], [0, 1, 2], [0, 1, 2])
    assert precision.tolist() == [0.5, 0.5, 0]
    assert recall.tolist() == [1, 0.5, 0]
    assert make_ndarray(found["raw"].tensor).tolist() == raw
    assert found["raw"].metadata.plugin_data.plugin_name == "pr_curves"


@needs_tensorboard
def test_custom_charts_and_meshes(writer, tmp_path) -> None:
    from tensorboard.plugins.custom_scalar.layout_pb2 import Layout

    writer.add_custom_scalars_marginchart(["v", "low", "high"], "group", "chart")
    writer.add_mesh("body", torch.rand(1, 4, 3), faces=torch.tensor([[[0, 1, 2]]]), config_dict={"camera": {"fov": 75}})
    writer.flush()
    found = values(tmp_path)
    layout = Layout.FromString(found["custom_scalars__config__"].tensor.string_val[0])
    series = layout.category[0].chart[0].margin.series[0]
    assert (layout.category[0].title, series.value, series.lower, series.upper) == ("group", "v", "low", "high")
    assert make_ndarray(found["body_VERTEX"].tensor).shape == (1, 4, 3)
    assert make_ndarray(found["body_FACE"].tensor).tolist() == [[[0, 1, 2]]]
    assert "body_COLOR" not in found
    with pytest.raises(AssertionError, match="three tags"):
        writer.add_custom_scalars_marginchart(["v", "low"])


@needs_tensorboard
def test_hyperparameters(writer, tmp_path) -> None:
    writer.add_hparams({"lr": 0.1, "name": "x", "flag": True, "none": None, "t": torch.tensor(2.0)}, {"loss": 3.0},
                       {"lr": [0.1, 0.2]}, run_name="run", global_step=5)  # fmt: skip
    found = values(tmp_path / "run")
    experiment, start = (HParamsPluginData.FromString(found[f"_hparams_/{part}"].metadata.plugin_data.content)
                         for part in ("experiment", "session_start_info"))  # fmt: skip
    assert [info.name for info in experiment.experiment.hparam_infos] == ["lr", "name", "flag", "t"]
    assert list(experiment.experiment.hparam_infos[0].domain_discrete) == [0.1, 0.2]
    given = start.session_start_info.hparams
    assert (given["lr"].number_value, given["name"].string_value, given["t"].number_value) == (0.1, "x", 2)
    assert found["loss"].simple_value == 3
    with pytest.raises(ValueError, match="'a' should be an int"):
        writer.add_hparams({"a": object()}, {})
    with pytest.raises(TypeError, match="hparam_domain_discrete"):
        writer.add_hparams({"a": 1}, {}, {"a": ["x"]})


@needs_tensorboard
def test_embeddings(writer, tmp_path) -> None:
    pytest.importorskip("PIL")
    writer.add_embedding(torch.eye(3), ["a", "b", "c"], torch.rand(3, 3, 4, 4), global_step=1)
    writer.add_embedding(torch.eye(2), [("a", 1), ("b", 2)], tag="x/y", metadata_header=["name", "number"])
    first, second = tmp_path / "00001" / "default", tmp_path / "00000" / "x%2fy"
    assert first.joinpath("metadata.tsv").read_text() == "a\nb\nc\n"
    assert np.loadtxt(first / "tensors.tsv").tolist() == torch.eye(3).tolist()
    assert first.joinpath("sprite.png").exists()
    assert second.joinpath("metadata.tsv").read_text() == "name\tnumber\na\t1\nb\t2\n"
    listed = (tmp_path / "projector_config.pbtxt").read_text()
    assert listed.count("embeddings {") == 2
    assert "single_image_dim: 4" in listed
    with pytest.raises(AssertionError, match="1 labels for 2 vectors"):
        writer.add_embedding(torch.eye(2), ["a"])


def graph_of(folder):
    return GraphDef.FromString(next(event.graph_def for event in events(folder) if event.graph_def))


@needs_tensorboard
def test_graph_of_operators(writer, tmp_path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 4), nn.Dropout())

        def forward(self, x):
            return torch.relu(self.body(x)) + 1

    net = Net()
    writer.add_graph(net, torch.ones(2, 3))
    writer.flush()
    nodes = {node.name: node for node in graph_of(tmp_path).node}
    linear = nodes["Net/Sequential[body]/Linear[0]/body_0"]
    assert linear.op == "Linear"
    assert list(linear.input) == ["input/x"]
    assert [dim.size for dim in linear.attr["_output_shapes"].list.shape[0].dim] == [2, 4]
    assert {"Net/relu", "Net/add"} <= set(nodes)
    assert list(nodes["output/output"].input) == ["Net/add"]
    assert all(source in nodes for node in nodes.values() for source in node.input)
    assert net.training
    assert net.body[1].training


@needs_tensorboard
def test_graph_of_a_module_that_cannot_be_traced(writer, tmp_path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 2)

        def forward(self, x):
            if x.sum() > 0:
                x = self.first(x)
            return self.second(x)

    writer.add_graph(Net(), (torch.ones(2, 3),))
    writer.flush()
    nodes = {node.name: node for node in graph_of(tmp_path).node}
    assert list(nodes["Net/Linear[first]/call"].input) == ["input/0"]
    assert list(nodes["Net/Linear[second]/call"].input) == ["Net/Linear[first]/call"]
    assert list(nodes["output/output"].input) == ["Net/Linear[second]/call"]
    with pytest.raises(RuntimeError):
        writer.add_graph(Net(), torch.ones(2, 5))
    with pytest.raises(ModuleNotFoundError, match="ONNX"):
        writer.add_onnx_graph("model.onnx")


@needs_tensorboard
def test_files_and_folders(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_mine") as writer:
        assert str(writer.get_logdir()).startswith("runs/")
        assert str(writer.get_logdir()).endswith("_mine")
    with SummaryWriter(tmp_path / "purged", purge_step=7, filename_suffix=".end") as writer:
        writer.add_scalar("x", 1, 8)
    assert writer.file_writer is None
    assert list((tmp_path / "purged").glob("*.end"))
    found = events(tmp_path / "purged")
    assert [event.step for event in found] == [0, 7, 7, 8]
    assert found[2].session_log.status == found[2].session_log.START
    writer.add_scalar("again", 1)  # opens a new file
    writer.close()
    assert len(list((tmp_path / "purged").iterdir())) == 2
    file_writer = FileWriter(tmp_path / "low")
    file_writer.close()
    file_writer.reopen()
    file_writer.close()
    assert file_writer.get_logdir() == str(tmp_path / "low")
