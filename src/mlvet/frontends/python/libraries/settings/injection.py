"""gin: functions and classes whose arguments a configuration file may give."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import effects

effects("gin", ("parse_config", "parse_config_file", "parse_config_files_and_bindings", "bind_parameter", "constant",
                "add_config_file_search_path", "clear_config", "finalize", "enter_interactive_mode"))  # fmt: skip


@model("gin.configurable", "gin.register", "gin.external_configurable")
def configurable(name_or_fn: Any = None, *args: Any, **keywords: Any) -> Any:
    """What is decorated stays as it is: its arguments are those of the call, else its defaults."""
    del args, keywords
    return (lambda decorated: decorated) if name_or_fn is None or isinstance(name_or_fn, str) else name_or_fn
