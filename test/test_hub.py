"""torch.hub: functions of local folders and of the cache, weights by URL, and what cannot be downloaded."""

import hashlib
import os
import zipfile
from urllib.error import URLError

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
    with pytest.raises(RuntimeError, match="downloads no repositories; put the files of owner/other into .*owner_other_main"):
        hub.load("owner/other", "double")
    with pytest.raises(RuntimeError, match="again"):
        hub.load("owner/name", "double", force_reload=True)
    with pytest.raises(ValueError, match="owner/name:ref"):
        hub.load("name", "double")


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
