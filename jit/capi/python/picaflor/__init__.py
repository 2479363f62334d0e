"""Picaflor from Python: the GPUs of the Nintendo 3DS (PICA200) and the PlayStation Portable (GE).

The package binds the C library with ctypes and needs nothing else; pictures become arrays of numpy where it is installed.
``picaflor.h`` describes errors and threads.

    import picaflor

    engine = picaflor.Engine(mode=picaflor.MODE_BLOCKING)
    for frame in picaflor.replay(engine, open("frame.cap", "rb").read()):
        print(frame.number, frame.draws, frame.picture.width)

The library is the file in the environment variable PICAFLOR_LIBRARY, or one that the system finds.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

__all__ = [
    "Difference", "Engine", "Error", "Event", "Frame", "Ge", "Gpu", "Picture", "compare", "replay", "version",
    "MODE_BACKGROUND", "MODE_BLOCKING", "MODE_INTERPRETER", "SCREEN_TOP", "SCREEN_TOP_RIGHT", "SCREEN_BOTTOM",
]

ABI = 1
MODE_BACKGROUND, MODE_BLOCKING, MODE_INTERPRETER = range(3)
SCREEN_TOP, SCREEN_TOP_RIGHT, SCREEN_BOTTOM = range(3)
EVENT_COMMAND, EVENT_REGISTER, EVENT_DRAW_BEGIN, EVENT_DRAW_END = 1, 2, 4, 8
EVENT_TRANSFER_BEGIN, EVENT_TRANSFER_END, EVENT_LIST = 16, 32, 64
_FORMAT = 9


class Error(Exception):
    """A failure of the library: its status and its text."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


def _load() -> ctypes.CDLL:
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


_library = _load()


def version() -> str:
    """The version of the library."""
    return _library.picaflor_version().decode()


def _check(status: int) -> None:
    if status:
        raise Error(status, _library.picaflor_last_error().decode())


class _Sized(ctypes.Structure):
    """A structure that begins with its size; everything else is zero."""

    def __init__(self, **members):
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class _EngineConfig(_Sized):
    _fields_ = [
        ("size", c_size_t), ("mode", c_uint32), ("variant", c_uint32), ("compile_threads", c_uint32),
        ("perf_map", c_uint32), ("code_budget", c_size_t), ("texture_budget", c_size_t), ("disk_budget", c_uint64),
        ("disk_cache", c_char_p), ("jitdump", c_char_p), ("dumps", c_char_p),
    ]


_COUNTERS = [
    "compiles", "compile_ns", "compile_ns_max", "compiled_bytes", "code_bytes", "live_routines", "evictions",
    "panics_contained", "refusals", "groups", "replayed_groups", "interpreter_batches", "fragment_draws",
    "interpreted_tiles", "texture_hits", "texture_misses", "texture_bytes", "longest_lookup_ns", "disk_loaded",
    "disk_stored", "disk_damaged", "disk_foreign", "disk_errors",
]


class _EngineStats(_Sized):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in _COUNTERS]


class _Region(ctypes.Structure):
    _fields_ = [("address", c_uint32), ("length", c_uint32), ("bytes", c_void_p)]


class _Memory(_Sized):
    _fields_ = [
        ("size", c_size_t), ("regions", POINTER(_Region)), ("region_count", c_size_t), ("user", c_void_p),
        ("region", c_void_p), ("written", c_void_p), ("version", c_void_p), ("tracked", c_uint32),
        ("reserved", c_uint32),
    ]


class _GpuConfig(_Sized):
    _fields_ = [
        ("size", c_size_t), ("memory", POINTER(_Memory)), ("limits", c_void_p), ("precision", c_uint32),
        ("threads", c_uint32),
    ]


class _GeConfig(_Sized):
    _fields_ = [
        ("size", c_size_t), ("memory", POINTER(_Memory)), ("limits", c_void_p), ("sdk", c_uint32),
        ("threads", c_uint32),
    ]


class _GeList(_Sized):
    _fields_ = [
        ("size", c_size_t), ("address", c_uint32), ("stall", c_uint32), ("callback", c_int32), ("at_head", c_uint32),
        ("arguments_size", c_uint32), ("context", c_uint32), ("stack_depth", c_uint32), ("stack", c_uint32),
    ]


class _Range(ctypes.Structure):
    _fields_ = [("address", c_uint32), ("length", c_uint32)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32), ("address", c_uint32), ("number", c_uint32), ("value", c_uint32), ("mask", c_uint32),
        ("draw", c_uint32), ("registers", POINTER(c_uint32)), ("register_count", c_size_t), ("reason", c_char_p),
        ("interpreted", c_uint32), ("refusals", c_uint32),
    ]


_EVENT = ctypes.CFUNCTYPE(None, c_void_p, POINTER(_Event))


class _Hooks(_Sized):
    _fields_ = [
        ("size", c_size_t), ("user", c_void_p), ("event", _EVENT), ("events", c_uint32), ("reserved", c_uint32),
    ]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("rgb", POINTER(c_uint8)), ("width", c_uint32), ("height", c_uint32), ("frame", c_uint32),
        ("errors", c_uint32), ("draws", c_uint64),
    ]


_FRAME = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(_Frame))


class Picture:
    """A picture: ``width``, ``height`` and ``rgb``, three bytes a pixel, row by row from the top."""

    def __init__(self, width: int, height: int, rgb: bytes):
        self.width, self.height, self.rgb = width, height, rgb

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        at = 3 * (self.width * y + x)
        return tuple(self.rgb[at:at + 3])

    def array(self):
        """The picture as an array of numpy: height, width, 3."""
        import numpy

        return numpy.frombuffer(self.rgb, numpy.uint8).reshape(self.height, self.width, 3)

    def write_ppm(self, path) -> None:
        with open(path, "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (self.width, self.height) + self.rgb)

    def __eq__(self, other):
        same = isinstance(other, Picture) and (self.width, self.height) == (other.width, other.height)
        return same and self.rgb == other.rgb


class Difference:
    """Result of :func:`compare`: number of pixels that differ, largest difference of a channel, first pixel."""

    def __init__(self, pixels: int, largest: int, first):
        self.pixels, self.largest, self.first = pixels, largest, first


def compare(expected: Picture, actual: Picture) -> Difference:
    """Compares two pictures of the same size, channel by channel; with numpy where it is installed."""
    if (expected.width, expected.height) != (actual.width, actual.height):
        raise ValueError("pictures of different sizes")
    if expected.rgb == actual.rgb:
        return Difference(0, 0, None)
    try:
        import numpy

        apart = numpy.abs(expected.array().astype(numpy.int16) - actual.array()).max(axis=2)
        places = numpy.argwhere(apart)
        return Difference(len(places), int(apart.max()), (int(places[0][1]), int(places[0][0])))
    except ImportError:
        pass
    places, largest = [], 0
    for at in range(0, len(expected.rgb), 3):
        apart = max(abs(a - b) for a, b in zip(expected.rgb[at:at + 3], actual.rgb[at:at + 3]))
        if apart:
            places.append(at // 3)
            largest = max(largest, apart)
    return Difference(len(places), largest, (places[0] % expected.width, places[0] // expected.width))


class Event:
    """An event of a machine: the members of ``picaflor_event``; ``registers`` is a copy."""

    def __init__(self, event: _Event):
        self.kind, self.address, self.number = event.kind, event.address, event.number
        self.value, self.mask, self.draw = event.value, event.mask, event.draw
        self.registers = event.registers[:event.register_count]
        self.interpreted = event.interpreted
        self.reason = event.reason.decode() if event.reason else None


class Frame:
    """A frame of a capture: its number, its picture or None, draws since the start, lists that were given up."""

    def __init__(self, number: int, picture, draws: int, errors: int):
        self.number, self.picture, self.draws, self.errors = number, picture, draws, errors


class _Handle:
    """A handle of the library, destroyed with its object or by ``close``."""

    _destroy = None

    def __init__(self, create):
        self._handle = c_void_p()
        _check(create(byref(self._handle)))

    def close(self) -> None:
        if self._handle:
            _check(getattr(_library, self._destroy)(self._handle))
            self._handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            getattr(_library, self._destroy)(self._handle)


def _bytes_of(buffer: c_void_p) -> bytes:
    data = ctypes.string_at(_library.picaflor_buffer_data(buffer), _library.picaflor_buffer_size(buffer))
    _check(_library.picaflor_buffer_destroy(buffer))
    return data


class Engine(_Handle):
    """Compiles and interprets."""

    _destroy = "picaflor_engine_destroy"

    def __init__(self, mode: int = MODE_BACKGROUND, compile_threads: int = 0, disk_cache: str | None = None):
        config = _EngineConfig(mode=mode, compile_threads=compile_threads)
        config.disk_cache = disk_cache.encode() if disk_cache else None
        super().__init__(lambda out: _library.picaflor_engine_create(byref(config), out))

    def stats(self) -> dict[str, int]:
        stats = _EngineStats()
        _check(_library.picaflor_engine_get_stats(self._handle, byref(stats)))
        return {name: getattr(stats, name) for name in _COUNTERS}

    def reset_stats(self) -> None:
        _check(_library.picaflor_engine_reset_stats(self._handle))

    def refusals(self) -> list[str]:
        """Programs and states left to the interpreter, each with its count and reason."""
        text = c_void_p()
        _check(_library.picaflor_engine_refusals(self._handle, byref(text)))
        return _bytes_of(text).rstrip(b"\0").decode().splitlines()


class _Machine(_Handle):
    _prefix = ""
    _config = None

    def __init__(self, engine: Engine, memory: dict[int, bytearray], threads: int = 0):
        """``memory``: physical address to bytes, which the machine reads and writes in place."""
        self.memory = memory
        self._views = [(c_uint8 * len(block)).from_buffer(block) for block in memory.values()]
        regions = (_Region * len(memory))()
        for region, address, view in zip(regions, memory, self._views):
            region.address, region.length, region.bytes = address, len(view), ctypes.addressof(view)
        config = _Memory(regions=regions, region_count=len(memory))
        machine = self._config(memory=ctypes.pointer(config), threads=threads)
        create = self._function("create")
        super().__init__(lambda out: create(engine._handle, byref(machine), out))

    def _function(self, name: str):
        return getattr(_library, f"picaflor_{self._prefix}_{name}")

    def read_field(self, field: int, first: int = 0, count: int | None = None) -> list[int]:
        """Words of a field of the state: PICAFLOR_FIELD_... of the header."""
        if count is None:
            size = c_size_t()
            _check(self._function("field_size")(self._handle, c_uint32(field), byref(size)))
            count = size.value - first
        words = (c_uint32 * count)()
        _check(self._function("read_field")(self._handle, c_uint32(field), c_size_t(first), words, c_size_t(count)))
        return list(words)

    def write_field(self, field: int, words: list[int], first: int = 0) -> None:
        array = (c_uint32 * len(words))(*words)
        write = self._function("write_field")
        _check(write(self._handle, c_uint32(field), c_size_t(first), array, c_size_t(len(words))))

    def export_state(self) -> bytes:
        state = c_void_p()
        _check(self._function("export")(self._handle, byref(state)))
        return _bytes_of(state)

    def import_state(self, state: bytes) -> None:
        _check(self._function("import")(self._handle, state, c_size_t(len(state))))

    def start_recording(self) -> None:
        _check(self._function("start_recording")(self._handle, None, c_size_t(0)))

    def stop_recording(self) -> bytes:
        capture = c_void_p()
        _check(self._function("stop_recording")(self._handle, byref(capture)))
        return _bytes_of(capture)


class Gpu(_Machine):
    """The PICA200."""

    _destroy, _prefix, _config = "picaflor_gpu_destroy", "gpu", _GpuConfig

    def run_list(self, address: int, size_bytes: int) -> None:
        _check(_library.picaflor_gpu_run_list(self._handle, c_uint32(address), c_uint32(size_bytes), None))

    def write(self, address: int, value: int) -> None:
        _check(_library.picaflor_gpu_write(self._handle, c_uint32(address), c_uint32(value)))

    def read(self, address: int) -> int:
        value = c_uint32()
        _check(_library.picaflor_gpu_read(self._handle, c_uint32(address), byref(value)))
        return value.value

    def fill(self, unit: int, start: int, end: int, value: int, width: int) -> None:
        _check(_library.picaflor_gpu_fill(self._handle, *map(c_uint32, (unit, start, end, value, width))))

    def frame_end(self) -> None:
        _check(_library.picaflor_gpu_frame_end(self._handle))

    def picture(self, screen: int = SCREEN_TOP) -> Picture | None:
        width, height = c_uint32(), c_uint32()
        ask = _library.picaflor_gpu_picture
        _check(ask(self._handle, c_uint32(screen), None, c_size_t(0), byref(width), byref(height)))
        if not width.value:
            return None
        rgb = (c_uint8 * (3 * width.value * height.value))()
        _check(ask(self._handle, c_uint32(screen), rgb, c_size_t(len(rgb)), byref(width), byref(height)))
        return Picture(width.value, height.value, bytes(rgb))


class Ge(_Machine):
    """The GE, with the queue of its lists."""

    _destroy, _prefix, _config = "picaflor_ge_destroy", "ge", _GeConfig

    def enqueue(self, address: int, stall: int = 0, callback: int = -1) -> int:
        """The answer for the guest: the number of the list."""
        answer = c_uint32()
        request = _GeList(address=address, stall=stall, callback=callback)
        _check(_library.picaflor_ge_enqueue(self._handle, byref(request), byref(answer)))
        return answer.value

    def run(self) -> int:
        progress = c_uint32()
        _check(_library.picaflor_ge_run(self._handle, byref(progress), None))
        return progress.value

    def execute(self, words: list[int]) -> None:
        array = (c_uint32 * len(words))(*words)
        _check(_library.picaflor_ge_execute(self._handle, array, c_size_t(len(words))))

    def picture(self, address: int, stride: int = 512, format: int = 3) -> Picture:
        rgb = (c_uint8 * (480 * 272 * 3))()
        numbers = map(c_uint32, (address, stride, format))
        _check(_library.picaflor_ge_picture(self._handle, *numbers, rgb, c_size_t(len(rgb))))
        return Picture(480, 272, bytes(rgb))


def replay(engine: Engine, capture: bytes, screen: int = SCREEN_TOP, events: int = 0, event=None) -> list[Frame]:
    """Plays a capture of either machine. ``event`` is called with an :class:`Event` for each of the kinds in ``events``,
    EVENT_...; an exception in it ends the replay at the next frame and is raised."""
    frames, failures = [], []

    def take(_, pointer):
        frame = pointer.contents
        size = 3 * frame.width * frame.height
        picture = Picture(frame.width, frame.height, ctypes.string_at(frame.rgb, size)) if size else None
        frames.append(Frame(frame.frame, picture, frame.draws, frame.errors))
        return len(failures)

    def see(_, pointer):
        try:
            if not failures:
                event(Event(pointer.contents))
        except BaseException as failure:  # Nothing may unwind through the library.
            failures.append(failure)

    hooks = _Hooks(event=_EVENT(see), events=events) if event else _Hooks()
    callback, arguments = _FRAME(take), (capture, c_size_t(len(capture)))
    tail = (byref(hooks), callback, None)
    status = _library.picaflor_gpu_replay(engine._handle, *arguments, c_uint32(screen), *tail)
    if status == _FORMAT:
        text = _library.picaflor_last_error().decode()
        status = _library.picaflor_ge_replay(engine._handle, *arguments, *tail)
        if status == _FORMAT:
            raise Error(status, f"{text}; as one of the PSP: {_library.picaflor_last_error().decode()}")
    _check(status)
    if failures:
        raise failures[0]
    return frames
