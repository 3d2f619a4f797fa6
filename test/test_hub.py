"""torch.hub: functions of local folders and of the cache, weights by URL, and what cannot be downloaded."""

import hashlib
import os
import zipfile
from urllib.error import HTTPError, URLError

import pytest

import torch
from torch import hub
from torch.utils import model_zoo

HUBCONF = '''
dependencies = ["torch"]
import helper_of_the_repository

def double(x, times=2):
    """Multiplies."""
    return helper_of_the_repository.product(x, times)

def _hidden():
    pass
'''


@pytest.fixture
def cache(tmp_path):
    before = hub.get_dir()
    hub.set_dir(tmp_path / "cache")
    yield tmp_path / "cache"
    hub.set_dir(before)


def make_repository(folder):
    folder.mkdir(parents=True)
    (folder / "hubconf.py").write_text(HUBCONF)
    (folder / "helper_of_the_repository.py").write_text("def product(x, y): return x * y")
    return str(folder)


def test_local_folder(tmp_path):
    folder = make_repository(tmp_path / "repository")
    assert hub.load(folder, "double", 3, source="local") == 6
    assert hub.load(folder, "double", 3, times=4, source="local") == 12
    assert hub.list(folder) == ["double"] and hub.help(folder, "double") == "Multiplies."
    for model, error in (("nosuch", RuntimeError), ("dependencies", RuntimeError), (3, ValueError)):
        with pytest.raises(error):
            hub.load(folder, model, source="local")
    with pytest.raises(FileNotFoundError):
        hub.load(str(tmp_path), "double", source="local")
    with pytest.raises(ValueError, match="unknown source 'elsewhere'"):
        hub.load(folder, "double", source="elsewhere")


def test_missing_dependencies(tmp_path):
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package']\ndef f(): pass")
    with pytest.raises(RuntimeError, match="no_such_package"):
        hub.load(str(tmp_path), "f", source="local")


def test_cached_repositories(cache):
    make_repository(cache / "owner_name_main")
    assert hub.load("owner/name", "double", 2, trust_repo=True) == 4 and hub.list("owner/name:main") == ["double"]
    for wrong in ("name", "owner/", "/name", "owner/name:", "owner/name/more"):
        with pytest.raises(ValueError, match="owner/name:ref"):
            hub.load(wrong, "double")


def test_weights_by_url(cache, tmp_path):
    file = tmp_path / "net.pth"
    torch.save({"w": torch.ones(2)}, file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    named = file.rename(tmp_path / f"net-{digest[:8]}.pth")
    found = hub.load_state_dict_from_url(named.as_uri(), progress=False, check_hash=True)
    assert torch.equal(found["w"], torch.ones(2)) and os.listdir(cache / "checkpoints") == [named.name]
    named.unlink()
    assert torch.equal(model_zoo.load_url(named.as_uri(), progress=False)["w"], torch.ones(2))  # from the cache


def test_a_bad_download_leaves_nothing(cache, tmp_path):
    file = tmp_path / "net-00000000.pth"
    file.write_bytes(b"x")
    with pytest.raises(RuntimeError, match="hash"):
        hub.load_state_dict_from_url(file.as_uri(), progress=False, check_hash=True)
    with pytest.raises(URLError):
        hub.download_url_to_file((tmp_path / "nosuch").as_uri(), str(cache / "checkpoints" / "x"), progress=False)
    assert os.listdir(cache / "checkpoints") == []


def test_zipped_weights(cache, tmp_path):
    torch.save(torch.ones(3), tmp_path / "w.pt", _use_new_zipfile_serialization=False)
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        archive.write(tmp_path / "w.pt", "w.pt")
    with pytest.warns(FutureWarning, match="zipped"):
        assert torch.equal(hub.load_state_dict_from_url((tmp_path / "w.zip").as_uri(), progress=False), torch.ones(3))


def test_cache_folder(monkeypatch):
    monkeypatch.setenv("TORCH_HOME", "/somewhere")
    assert hub._get_torch_home() == "/somewhere"
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert hub._get_torch_home() == "/cache/torch"


@pytest.fixture
def github(tmp_path, monkeypatch):
    """Archives of repositories in a folder, in the place of GitHub's."""
    from torch import _hub_repository

    def add(owner, name, ref, times=2):
        folder = tmp_path / "made"
        make_repository(folder)
        (folder / "hubconf.py").write_text(HUBCONF.replace("times=2", f"times={times}"))
        with zipfile.ZipFile(tmp_path / f"{owner}-{name}-{ref.replace('/', '_')}.zip", "w") as archive:
            for path in folder.iterdir():
                archive.write(path, f"{owner}-{name}-0a1b2c/{path.name}")
                path.unlink()
        folder.rmdir()

    def open_archive(request):
        owner, _, rest = request.full_url.removeprefix("https://github.com/").partition("/")
        name, _, ref = rest.partition("/zipball/")
        path = tmp_path / f"{owner}-{name}-{ref.replace('/', '_')}.zip"
        if not path.exists():
            raise HTTPError(request.full_url, 404, "Not Found", None, None)
        return open(path, "rb")

    monkeypatch.setattr(_hub_repository, "urlopen", open_archive)
    return add


def test_download_of_a_repository(cache, github, capsys):
    github("owner", "name", "master")
    assert hub.load("owner/name", "double", 3, trust_repo=True) == 6
    assert "Downloading" in capsys.readouterr().out and os.path.exists(cache / "owner_name_master" / "hubconf.py")
    assert sorted(os.listdir(cache)) == ["owner_name_master", "trusted_list"]
    github("owner", "name", "master", times=5)
    assert hub.load("owner/name", "double", 3) == 6 and "Using cache" in capsys.readouterr().err
    assert hub.load("owner/name", "double", 3, verbose=False, force_reload=True) == 15
    github("owner", "name", "v1/x", times=7)
    assert hub.load("owner/name:v1/x", "double", 1) == 7 and os.path.isdir(cache / "owner_name_v1_x")
    with pytest.raises(ValueError, match="no nothing of owner/name"):
        hub.load("owner/name:nothing", "double")


def test_trust(cache, github, monkeypatch):
    github("owner", "name", "main")
    with pytest.warns(UserWarning, match="not in the list of trusted"):
        assert hub.list("owner/name") == ["double"]
    asked = []
    for answer, trust in (("n", False), ("", "check")):
        monkeypatch.setattr("builtins.input", lambda text, answer=answer: asked.append(text) or answer)
        with pytest.raises(RuntimeError, match="not trusted"):
            hub.load("owner/name", "double", 1, trust_repo=trust)
    assert len(asked) == 2 and not os.path.exists(cache / "trusted_list")
    monkeypatch.setattr("builtins.input", lambda text: "y")
    assert hub.load("owner/name", "double", 1, trust_repo="check") == 2
    monkeypatch.setattr("builtins.input", lambda text: pytest.fail("asked again"))
    assert hub.load("owner/name", "double", 1, trust_repo=False) == 2
    with pytest.raises(ValueError, match="trust_repo"):
        hub.load("owner/name", "double", trust_repo="perhaps")


def test_a_download_that_cannot_happen(cache, monkeypatch):
    from torch import _hub_repository

    def no_network(request):
        raise URLError("no route to host")

    monkeypatch.setattr(_hub_repository, "urlopen", no_network)
    with pytest.raises(URLError, match="no route to host.*put its files into .*owner_other_main"):
        hub.load("owner/other", "double", trust_repo=True)
    assert not any(os.path.isdir(cache / name) for name in os.listdir(cache))
