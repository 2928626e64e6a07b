"""A project that tries to run code in, or change the verdict of, whatever looks at it.

Every payload writes a marker that names it, so a test can say what ran.
"""

from __future__ import annotations

import stat
import sys
import sysconfig
from pathlib import Path

# Modules that a checker, a library of it or Python itself imports: some always, some on demand, some when absent.
SHADOWED = """
abc ast astroid attr charset_normalizer colorama copyreg csv dataclasses dill distutils enchant enum
errno fcntl importlab isort json linecache locale logging mccabe msvcrt mypy mypy_extensions ninja
nodeenv orjson pathspec pkg_resources platform platformdirs pydevd pyflakes pylint pyrefly pyright
pytype random re readline ruff setuptools shutil site six socket ssl string subprocess tempfile tokenize
toml tomlkit tomli traceback ty types typing typing_extensions unicodedata urllib uuid warnings
zipimport torch numpy
"""

# One crash that each checker finds in it, so that a setting which silences a checker is seen.
PROGRAM = """\
import os
import json
import torch
import package
from package import inner

print(undefined_name)
package.inner.function(1)
"""

TOML_SETTINGS = """\
[tool.mypy]
plugins = ["evil_plugin"]
ignore_errors = true
[tool.pylint.main]
init-hook = "import evil_plugin"
load-plugins = ["evil_plugin"]
ignore-patterns = [".*"]
[tool.pyright]
ignore = ["**"]
reportUndefinedVariable = "none"
[tool.ty.rules]
all = "ignore"
[tool.ruff]
exclude = ["*"]
[tool.ruff.lint]
ignore = ["ALL"]
[tool.pyrefly]
project-excludes = ["**"]
python-interpreter-path = "interpreter"
[tool.pytype]
exclude = ["**"]
[tool.mlvet]
python = ".venv"
"""

SETTINGS = {
    "pyproject.toml": TOML_SETTINGS,
    "mypy.ini": "[mypy]\nplugins = evil_plugin\nignore_errors = True\npython_executable = interpreter\n",
    ".mypy.ini": "[mypy]\nplugins = evil_plugin\nignore_errors = True\n",
    "setup.cfg": "[mypy]\nplugins = evil_plugin\nignore_errors = True\n[pytype]\nexclude = **\n",
    "tox.ini": "[flake8]\nexclude = *\n[testenv]\ncommands = ./interpreter\n",
    ".pylintrc": "[MAIN]\ninit-hook=import evil_plugin\nload-plugins=evil_plugin\ndisable=all\n",
    "pylintrc": "[MAIN]\ninit-hook=import evil_plugin\nload-plugins=evil_plugin\ndisable=all\n",
    "pylintrc.toml": '[tool.pylint.main]\ninit-hook = "import evil_plugin"\n',
    "pyrightconfig.json": '{"ignore": ["**"], "venvPath": ".", "venv": ".venv", "reportUndefinedVariable": "none"}\n',
    "ty.toml": '[environment]\npython = "./interpreter"\n[rules]\nall = "ignore"\n',
    "pyrefly.toml": 'python-interpreter-path = "interpreter"\nproject-excludes = ["**"]\n',
    "ruff.toml": 'exclude = ["*"]\n[lint]\nignore = ["ALL"]\n',
    ".ruff.toml": 'exclude = ["*"]\n',
    ".env": "PYTHONSTARTUP=evil_plugin.py\nPYTHONPATH=.\n",
}


def payload(name: str, markers: Path) -> str:
    """Python text that leaves a marker when it is executed."""
    return f"open({str(markers / name)!r}, 'a').close()\n"


def script(name: str, markers: Path) -> str:
    """A program that leaves a marker when it is started."""
    return f"#!/bin/sh\n: > '{markers / name}'\n"


def build(project: Path, markers: Path) -> list[Path]:
    """Write the project; the Python files that a checker is to look at come back."""
    markers.mkdir(parents=True)
    package, venv = project / "package", project / ".venv"
    site_packages = venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for folder in (
        package,
        site_packages / "torch",
        venv / "bin",
        project / "typings",
        project / "node_modules" / ".bin",
    ):
        folder.mkdir(parents=True)
    for name, text in SETTINGS.items():
        (project / name).write_text(text)
    modules = [
        *SHADOWED.split(),
        "evil_plugin",
        "conftest",
        "sitecustomize",
        "usercustomize",
        "setup",
        "noxfile",
        "__main__",
    ]
    for name in modules:
        (project / f"{name}.py").write_text(payload(f"{name}.py", markers))
    for name in ("math", "_socket"):
        (project / f"{name}{sysconfig.get_config_var('EXT_SUFFIX') or '.so'}").write_bytes(b"not a library")
    (package / "__init__.py").write_text(payload("package", markers))
    (package / "inner.py").write_text(payload("package.inner", markers) + "def function(x):\n    return x\n")

    (venv / "pyvenv.cfg").write_text(f"home = {venv / 'bin'}\nversion = 3.{sys.version_info.minor}.0\n")
    for name in ("evil", "sitecustomize", "usercustomize", "torch/__init__"):
        (site_packages / f"{name}.py").write_text(payload(f"site-packages {name.replace('/', ' ')}", markers))
    (site_packages / "evil.pth").write_text(f"import evil; {payload('pth', markers)}")
    executables = ["interpreter", "python", "python3", "node", "ninja", ".venv/bin/python", ".venv/bin/python3"]
    executables += [".venv/bin/activate", "node_modules/.bin/node", "ruff", "mypy", "pyright", "ty", "pylint", "pytype"]
    for name in executables:
        path = project / name
        path.write_text(script(f"started {name.replace('/', ' ')}", markers))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    (project / "main.py").write_text(PROGRAM)
    return [
        project / "main.py",
        package / "__init__.py",
        package / "inner.py",
        project / "json.py",
        project / "torch.py",
    ]


def executed(markers: Path) -> list[str]:
    """The payloads that ran."""
    return sorted(path.name for path in markers.iterdir())
