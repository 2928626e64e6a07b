"""urllib, requests, hashlib, uuid, base64, zlib, archives, temporary files: what comes and goes as bytes."""

from __future__ import annotations

import tarfile
import zipfile
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.effects import File, path_of
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import (
    constants,
    data,
    effects,
    listed,
    mapping,
    text,
    truth,
    typed,
    whole,
)
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason

effects("shutil", ("rmtree", "copymode", "chown"))
typed("shutil", dict.fromkeys(("copy", "copy2", "copyfile", "copytree", "move", "make_archive", "which"), text))
typed("shutil", {"disk_usage": lambda: (integer("bytes"), integer("bytes"), integer("bytes"))})
effects("shutil", ("unpack_archive", "copyfileobj"))
typed(
    "tempfile", {"mkdtemp": text, "gettempdir": text, "mktemp": text, "mkstemp": lambda: (integer("file"), Scalar(str))}
)
typed("base64", dict.fromkeys(("b64encode", "b64decode", "urlsafe_b64encode", "urlsafe_b64decode"), data))
typed("zlib", {"compress": data, "decompress": data, "crc32": whole("checksum"), "adler32": whole("checksum")})
typed("binascii", {"hexlify": data, "unhexlify": data, "crc32": whole("checksum")})
typed("bz2", {"compress": data, "decompress": data})
typed("lzma", {"compress": data, "decompress": data})
typed("struct", {"pack": data, "calcsize": whole("bytes")})
constants(zipfile, ["BadZipFile", "ZIP_DEFLATED", "ZIP_STORED"])
constants(tarfile, ["TarError", "ReadError"])


@model("struct.unpack", "struct.unpack_from")
def unpack(format: Any, buffer: Any, offset: Any = 0) -> Any:
    """As many numbers as the format says, of the kinds it says."""
    del buffer, offset
    if not isinstance(format, str):
        return machine().unknown(Reason.EXTERNAL_DATA, "struct.unpack")
    found: list[Any] = []
    repeat = ""
    for letter in format.lstrip("@=<>!").replace(" ", ""):
        if letter.isdigit():
            repeat += letter
            continue
        times = int(repeat or 1)
        repeat = ""
        match letter:
            case "s" | "p":
                found.append(Scalar(bytes))
            case "e" | "f" | "d":
                found += [Scalar(float)] * times
            case "?":
                found += [Scalar(bool)] * times
            case "c":
                found += [Scalar(bytes)] * times
            case "x":
                continue
            case _:
                found += [integer("number", 0 if letter.isupper() else float("-inf")) for _ in range(times)]
    return tuple(found)


def _opened(*names: str) -> Any:
    def run(name: Any = None, mode: Any = "rb", *rest: Any, **options: Any) -> Any:
        del rest, options
        kind = mode if isinstance(mode, str) and ("b" in mode or "t" in mode) else "rb"
        return File(path_of(name), kind)

    return model(*names)(run)


_opened("gzip.open", "gzip.GzipFile", "bz2.open", "bz2.BZ2File", "lzma.open", "lzma.LZMAFile")


@model("tempfile.NamedTemporaryFile", "tempfile.TemporaryFile", "tempfile.SpooledTemporaryFile")
def temporary(mode: Any = "w+b", *rest: Any, **options: Any) -> Any:
    del rest, options
    return File(Scalar(str), mode)


@model("tempfile.TemporaryDirectory")
class TemporaryDirectory(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        self.cells["name"] = Scalar(str)

    def __enter__(self) -> Any:
        return self.cells["name"]

    def __exit__(self, *details: Any) -> None: ...

    def cleanup(self) -> None: ...


@model(
    "io.BytesIO",
    "io.StringIO",
    "io.TextIOWrapper",
    "io.BufferedReader",
    "io.BufferedWriter",
    "io.IOBase",
    "io.TextIOBase",
)
class Buffer(File):
    """A file in memory."""

    __slots__ = ()

    def __init__(self, initial: Any = None, *rest: Any, **options: Any) -> None:
        del rest, options
        kind = bytes if isinstance(initial, bytes) or (isinstance(initial, Scalar) and initial.kind is bytes) else str
        self.cells.update(
            {"name": None, "mode": "r", "content": kind, "@text": initial if isinstance(initial, str) else None}
        )

    def getvalue(self) -> Any:
        return Scalar(self.cells["content"])

    getbuffer = getvalue


typed("io", {"text_encoding": text})


@model("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile")
class Archive(Object):
    """An archive of files."""

    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None: ...

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...

    def extractall(self, *args: Any, **keywords: Any) -> None: ...

    extract = close = write = writestr = add = addfile = extractall

    def namelist(self) -> Any:
        return ListValue(Repeated(Scalar(str), integer("files")))

    getnames = namelist

    def infolist(self) -> Any:
        return ListValue(Repeated(Member(), integer("files")))

    getmembers = infolist

    def iterate(self) -> Any:
        return Repeated(Member(), integer("files"))

    def getmember(self, name: Any) -> Any:
        del name
        return Member()

    getinfo = getmember

    def open(self, name: Any, mode: Any = "r", **options: Any) -> Any:
        del mode, options
        return File(name, "rb")

    extractfile = open

    def read(self, name: Any, pwd: Any = None) -> Any:
        del name, pwd
        return Scalar(bytes)


class Member(Object):
    __slots__ = ()

    def __init__(self) -> None:
        self.cells.update(name=Scalar(str), filename=Scalar(str), size=integer("bytes"), file_size=integer("bytes"))

    def isfile(self) -> Any:
        return Scalar(bool)

    isdir = is_dir = isfile


model("tarfile.is_tarfile")(lambda name: truth())
model("zipfile.is_zipfile")(lambda filename: truth())


class Digest(Object):
    """A hash under way."""

    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None: ...

    def update(self, data: Any) -> None: ...

    def hexdigest(self, *args: Any) -> Any:
        del args
        return Scalar(str)

    def digest(self, *args: Any) -> Any:
        del args
        return Scalar(bytes)


for _name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "new"):
    model(f"hashlib.{_name}")(type(_name, (Digest,), {"__slots__": (), "__module__": __name__}))


@model("uuid.UUID")
class UUID(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        self.cells.update(hex=Scalar(str), int=integer("uuid"))

    def __str__(self) -> Any:
        return Scalar(str)


typed("uuid", dict.fromkeys(("uuid1", "uuid3", "uuid4", "uuid5"), UUID))


@model("requests.Response")
class Response(File):
    """What a server answers."""

    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        self.cells.update({
            "name": None, "mode": "rb", "content": Scalar(bytes), "@text": None, "text": Scalar(str),
            "ok": Scalar(bool), "status_code": integer("status"), "headers": DictValue(rest=Scalar(str)),
            "raw": File(None, "rb"),
            "url": Scalar(str), "encoding": Scalar(str), "reason": Scalar(str), "status": integer("status"),
        })  # fmt: skip

    def read(self, *args: Any) -> Any:
        del args
        return Scalar(bytes)

    def json(self, **options: Any) -> Any:
        del options
        return machine().unknown(Reason.EXTERNAL_DATA, "an answer of a server")

    def raise_for_status(self) -> None: ...

    def iterate(self) -> Any:
        return Repeated(Scalar(bytes), integer("chunks"))

    def iter_content(self, *args: Any, **options: Any) -> Any:
        del args, options
        return ListValue(self.iterate())

    iter_lines = iter_content

    def info(self) -> Any:
        return self.cells["headers"]

    getcode = lambda self: self.cells["status"]  # noqa: E731


@model("requests.get", "requests.post", "requests.put", "requests.head", "requests.delete", "requests.request",
       "urllib.request.urlopen")  # fmt: skip
def fetched(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return Response()


@model("requests.Session", "requests.session")
class Session(Object):
    __slots__ = ()

    def get(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Response()

    post = put = head = delete = request = get

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...


for _name in ("requests.exceptions.RequestException", "requests.RequestException", "requests.exceptions.HTTPError",
              "requests.HTTPError", "requests.exceptions.ConnectionError", "urllib.error.HTTPError",
              "urllib.error.URLError"):  # fmt: skip
    model(_name)(type(_name.rpartition(".")[2], (OSError,), {}))
typed(
    "urllib.request",
    {"urlretrieve": lambda: (Scalar(str), DictValue(rest=Scalar(str))), "build_opener": Object, "Request": Object},
)
typed("urllib", {"urlretrieve": lambda: (Scalar(str), DictValue(rest=Scalar(str)))})
effects("urllib.request", ("install_opener",))
typed("urllib.parse", {
    "quote": text, "unquote": text, "urlencode": text, "urljoin": text, "quote_plus": text, "unquote_plus": text,
    "parse_qs": mapping(listed(text, "values")),
})  # fmt: skip


@model("urllib.parse.urlparse", "urllib.parse.urlsplit")
class ParsedURL(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        for name in ("scheme", "netloc", "path", "params", "query", "fragment", "hostname"):
            self.cells[name] = Scalar(str)
