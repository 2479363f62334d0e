"""The library and the structures of ``picaflor.h``."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from operator import index

ABI = 1


class Error(Exception):
    """A failure of the library: its status and its text."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


def load() -> ctypes.CDLL:
    name = os.environ.get("PICAFLOR_LIBRARY") or ctypes.util.find_library("picaflor")
    if not name:
        name = {"darwin": f"libpicaflor.{ABI}.dylib", "win32": "picaflor.dll"}.get(sys.platform, f"libpicaflor.so.{ABI}")
    library = ctypes.CDLL(name)
    library.picaflor_last_error.restype = c_char_p
    library.picaflor_version.restype = c_char_p
    library.picaflor_buffer_data.restype = POINTER(c_uint8)
    library.picaflor_buffer_data.argtypes = [c_void_p]
    library.picaflor_buffer_size.restype = c_size_t
    library.picaflor_buffer_size.argtypes = [c_void_p]
    library.picaflor_abi_version.restype = c_uint32
    if library.picaflor_abi_version() != ABI:
        raise ImportError(f"{name} has the binary interface {library.picaflor_abi_version()}, not {ABI}")
    return library


library = load()


def check(status: int) -> None:
    if status:
        raise Error(status, library.picaflor_last_error().decode())


def number(kind, name: str, value: int):
    """A number of the host as one of C. ctypes alone drops the bits that do not fit."""
    made = kind(index(value))
    if made.value != value:
        sign = "a signed" if kind(-1).value < 0 else "an unsigned"
        raise OverflowError(f"{name}: {value} is not {sign} number of {8 * ctypes.sizeof(kind)} bits")
    return made


def u32(**arguments: int) -> list[c_uint32]:
    """Arguments of a function, by their names."""
    return [number(c_uint32, name, value) for name, value in arguments.items()]


def sizes(**arguments: int) -> list[c_size_t]:
    """The same, of the type ``size_t``."""
    return [number(c_size_t, name, value) for name, value in arguments.items()]


def data(value) -> bytes:
    """The bytes of a file or a state. ctypes alone takes the characters of a string, in its own width."""
    return bytes(memoryview(value))


def words(**argument):
    """An array of words, by its name."""
    (name, values), = argument.items()
    array = (c_uint32 * len(values))(*values)
    for made, value in zip(array, values):
        if made != value:
            number(c_uint32, name, value)
    return array


class Checked(ctypes.Structure):
    """A structure with members as the host gave them, neither cut to their width nor at a zero byte."""

    def __setattr__(self, name, value):
        kind = dict(self._fields_).get(name)
        if kind in (c_int32, c_uint32, c_uint64, c_size_t):
            value = number(kind, name, value)
        elif kind is c_char_p and value and b"\0" in value:
            raise ValueError(f"{name}: a zero byte in {value!r}")
        super().__setattr__(name, value)


class Sized(Checked):
    """A structure that begins with its size; everything else is zero."""

    def __init__(self, **members):
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class EngineConfig(Sized):
    _fields_ = [
        ("size", c_size_t), ("mode", c_uint32), ("variant", c_uint32), ("compile_threads", c_uint32),
        ("perf_map", c_uint32), ("code_budget", c_size_t), ("texture_budget", c_size_t), ("disk_budget", c_uint64),
        ("disk_cache", c_char_p), ("jitdump", c_char_p), ("dumps", c_char_p), ("mapping", c_uint32),
        ("effort", c_uint32), ("cpu", c_uint32), ("reserved", c_uint32),
    ]


COUNTERS = [
    "compiles", "compile_ns", "compile_ns_max", "compiled_bytes", "code_bytes", "live_routines", "evictions",
    "panics_contained", "refusals", "groups", "replayed_groups", "interpreter_batches", "fragment_draws",
    "interpreted_tiles", "texture_hits", "texture_misses", "texture_bytes", "longest_lookup_ns", "disk_loaded",
    "disk_stored", "disk_damaged", "disk_foreign", "disk_errors",
    "refined", "analyse_ns", "emit_ns", "generate_ns", "publish_ns", "texture_stale", "texture_decoded_bytes",
    "texture_compared_bytes", "texture_evictions", "disk_load_ns", "disk_loaded_bytes", "disk_stored_bytes",
    "disk_removed",
]


class EngineStats(Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in COUNTERS]


GPU_COUNTERS = [
    "vertices", "triangles", "triangles_displayed", "draws", "fragments", "shaded", "lists", "commands", "fills",
    "transfers",
]
GE_COUNTERS = [
    "runs", "commands", "draws", "vertices", "primitives", "pixels", "covered", "transfers", "transferred",
]


class GpuStats(Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in GPU_COUNTERS]


class GeStats(Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in GE_COUNTERS]


class Fault(Checked):
    _fields_ = [
        ("kind", c_uint32), ("at", c_uint32), ("value", c_uint32), ("reserved", c_uint32), ("text", c_char * 96),
    ]


class Region(Checked):
    _fields_ = [("address", c_uint32), ("length", c_uint32), ("bytes", c_void_p)]


class Memory(Sized):
    _fields_ = [
        ("size", c_size_t), ("regions", POINTER(Region)), ("region_count", c_size_t), ("user", c_void_p),
        ("region", c_void_p), ("written", c_void_p), ("version", c_void_p), ("tracked", c_uint32),
        ("reserved", c_uint32),
    ]


class GpuConfig(Sized):
    _fields_ = [
        ("size", c_size_t), ("memory", POINTER(Memory)), ("limits", c_void_p), ("precision", c_uint32),
        ("threads", c_uint32),
    ]


class GeConfig(Sized):
    _fields_ = [
        ("size", c_size_t), ("memory", POINTER(Memory)), ("limits", c_void_p), ("sdk", c_uint32),
        ("threads", c_uint32),
    ]


class GeList(Sized):
    _fields_ = [
        ("size", c_size_t), ("address", c_uint32), ("stall", c_uint32), ("callback", c_int32), ("at_head", c_uint32),
        ("arguments_size", c_uint32), ("context", c_uint32), ("stack_depth", c_uint32), ("stack", c_uint32),
    ]


class Range(ctypes.Structure):
    _fields_ = [("address", c_uint32), ("length", c_uint32)]


class EventInfo(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32), ("address", c_uint32), ("number", c_uint32), ("value", c_uint32), ("mask", c_uint32),
        ("draw", c_uint32), ("registers", POINTER(c_uint32)), ("register_count", c_size_t), ("reason", c_char_p),
        ("interpreted", c_uint32), ("refusals", c_uint32),
    ]


EVENT = ctypes.CFUNCTYPE(None, c_void_p, POINTER(EventInfo))


class Hooks(Sized):
    _fields_ = [
        ("size", c_size_t), ("user", c_void_p), ("event", EVENT), ("events", c_uint32), ("reserved", c_uint32),
    ]


class FrameInfo(ctypes.Structure):
    _fields_ = [
        ("rgb", POINTER(c_uint8)), ("width", c_uint32), ("height", c_uint32), ("frame", c_uint32),
        ("errors", c_uint32), ("draws", c_uint64),
    ]


FRAME = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(FrameInfo))


class TextureInfo(ctypes.Structure):
    _fields_ = [("hash", c_uint64), ("palette", c_uint64)] + [
        (name, c_uint32)
        for name in ("address", "width", "height", "format", "level", "face", "stride", "reserved")
    ]


TEXTURE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(TextureInfo), POINTER(c_uint32))


class Textures(Sized):
    _fields_ = [("size", c_size_t), ("user", c_void_p), ("texture", TEXTURE)]


class TraceRequest(Sized):
    _fields_ = [
        ("size", c_size_t), ("draw", c_uint64), ("x", c_int32), ("y", c_int32), ("pixel", c_uint32),
        ("first_vertex", c_uint32), ("vertex_count", c_uint32), ("reserved", c_uint32), ("first_run", c_uint32),
        ("run_count", c_uint32),
    ]


class NoteInfo(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32), ("item", c_uint32), ("index", c_uint32), ("reserved", c_uint32), ("stage", c_char_p),
        ("name", c_char_p), ("text", c_char_p), ("numbers", POINTER(c_double)), ("count", c_size_t),
    ]


NOTE = ctypes.CFUNCTYPE(None, c_void_p, POINTER(NoteInfo))


class GpuRates(Sized):
    _fields_ = [("size", c_size_t)] + [
        (name, c_uint32)
        for name in ("command", "draw", "vertex", "culled", "triangle", "pixel", "fill_byte", "transfer_byte")
    ]


class GeRates(Sized):
    _fields_ = [("size", c_size_t)] + [
        (name, c_uint32) for name in ("command", "draw", "vertex", "primitive", "pixel", "transfer_byte")
    ]


class Delay(ctypes.Structure):
    _fields_ = [("cycles", c_uint64), ("interrupt", c_uint32), ("reserved", c_uint32)]


class GeInterrupt(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("kind", "list", "callback", "token", "pc")]
