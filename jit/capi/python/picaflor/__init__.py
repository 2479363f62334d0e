"""Picaflor from Python: the GPUs of the Nintendo 3DS (PICA200) and the PlayStation Portable (GE).

The package binds the C library with ctypes and needs nothing else; pictures become arrays of numpy where it is installed.
``picaflor.h`` describes errors and threads. A number that its type in C does not hold is an OverflowError.

    import picaflor

    engine = picaflor.Engine(mode=picaflor.MODE_BLOCKING)
    for frame in picaflor.replay(engine, open("frame.cap", "rb").read()):
        print(frame.number, frame.draws, frame.picture.width)

The library is the file in the environment variable PICAFLOR_LIBRARY, or one that the system finds.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

from . import _library as _c
from ._library import ABI, Error

__all__ = [
    "ABI", "Difference", "Engine", "Error", "Event", "Frame", "Ge", "Gpu", "Note", "Picture", "Texture", "compare",
    "replay", "version", "MODE_BACKGROUND", "MODE_BLOCKING", "MODE_INTERPRETER", "MAPPING_DEFAULT",
    "MAPPING_DUAL_VIEW", "MAPPING_PROTECT", "EFFORT_ADAPTIVE", "EFFORT_QUICK", "EFFORT_CAREFUL", "CPU_HOST",
    "CPU_WITHOUT_AVX", "CPU_OLDEST", "SCREEN_TOP", "SCREEN_TOP_RIGHT", "SCREEN_BOTTOM", "EVENT_COMMAND",
    "EVENT_REGISTER", "EVENT_DRAW_BEGIN", "EVENT_DRAW_END", "EVENT_TRANSFER_BEGIN", "EVENT_TRANSFER_END", "EVENT_LIST",
    "NOTE_PIXEL", "NOTE_VERTEX", "NOTE_GEOMETRY", "RATE_NONE",
]

MODE_BACKGROUND, MODE_BLOCKING, MODE_INTERPRETER = range(3)
MAPPING_DEFAULT, MAPPING_DUAL_VIEW, MAPPING_PROTECT = range(3)
EFFORT_ADAPTIVE, EFFORT_QUICK, EFFORT_CAREFUL = range(3)
CPU_HOST, CPU_WITHOUT_AVX, CPU_OLDEST = range(3)
SCREEN_TOP, SCREEN_TOP_RIGHT, SCREEN_BOTTOM = range(3)
EVENT_COMMAND, EVENT_REGISTER, EVENT_DRAW_BEGIN, EVENT_DRAW_END = 1, 2, 4, 8
EVENT_TRANSFER_BEGIN, EVENT_TRANSFER_END, EVENT_LIST = 16, 32, 64
NOTE_PIXEL, NOTE_VERTEX, NOTE_GEOMETRY = range(3)
RATE_NONE = 0xFFFFFFFF
_BUSY, _FORMAT = 4, 9
_SEMANTICS = 24


def version() -> str:
    """The version of the library."""
    return _c.library.picaflor_version().decode()


class Picture:
    """A picture: ``width``, ``height`` and ``rgb``, three bytes a pixel, row by row from the top."""

    def __init__(self, width: int, height: int, rgb: bytes):
        self.width, self.height, self.rgb = width, height, rgb

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"pixel {x}, {y} of a picture of {self.width} by {self.height}")
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

    def __init__(self, event: _c.EventInfo):
        self.kind, self.address, self.number = event.kind, event.address, event.number
        self.value, self.mask, self.draw = event.value, event.mask, event.draw
        self.registers = event.registers[:event.register_count]
        self.interpreted, self.refusals = event.interpreted, event.refusals
        self.reason = event.reason.decode() if event.reason else None


class Frame:
    """A frame of a capture: its number, its picture or None, draws since the start, lists that were given up."""

    def __init__(self, number: int, picture, draws: int, errors: int):
        self.number, self.picture, self.draws, self.errors = number, picture, draws, errors


class Texture:
    """A level of a texture that a draw may sample, in the callback of ``set_textures``: the members of
    ``picaflor_texture``, and ``texels``, an array of width * height words 0xAABBGGRR that may be written. After the
    callback ``texels`` and ``array`` raise ValueError; an array that was kept has the texels as they were left."""

    def __init__(self, texture: _c.TextureInfo, texels):
        for name, _ in texture._fields_:
            setattr(self, name, getattr(texture, name))
        # The library lends the texels for the time of the callback, and a view of them may be kept: a copy is shown.
        self._lent = (c_uint32 * (self.width * self.height)).from_address(ctypes.addressof(texels.contents))
        self._texels = type(self._lent).from_buffer_copy(self._lent)

    @property
    def texels(self):
        if self._texels is None:
            raise ValueError("a texture after its callback: there are no texels any more")
        return self._texels

    def _end(self) -> None:
        """Writes the texels back, at the end of the callback."""
        ctypes.memmove(self._lent, self._texels, ctypes.sizeof(self._lent))
        self._lent = self._texels = None

    def array(self):
        """The texels as an array of numpy, height, width, 4: red, green, blue, alpha. Writes go to the texture."""
        texels = self.texels
        import numpy

        return numpy.frombuffer(texels, numpy.uint8).reshape(self.height, self.width, 4)


class Note:
    """A note of a trace: the members of ``picaflor_note``; ``numbers`` is a list."""

    def __init__(self, note: _c.NoteInfo):
        self.kind, self.item, self.index = note.kind, note.item, note.index
        self.stage, self.name, self.text = note.stage.decode(), note.name.decode(), note.text.decode()
        self.numbers = note.numbers[:note.count]

    def __repr__(self):
        return f"{self.kind} {self.item} {self.stage}: {self.name} {self.text}"


class _Handle:
    """A handle of the library, destroyed with its object or by ``close``."""

    _destroy = None

    def __init__(self, create):
        self._handle = c_void_p()
        _c.check(create(byref(self._handle)))

    def close(self) -> None:
        if self._handle:
            _c.check(getattr(_c.library, self._destroy)(self._handle))
            self._handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            getattr(_c.library, self._destroy)(self._handle)


def _raise(status: int, failures: list) -> None:
    """Raises what ended a call: the first exception of a function of the host, else a failure of the library."""
    try:
        _c.check(status)
    except Error as error:
        if failures:
            raise failures[0] from error
        raise
    if failures:
        raise failures[0]


def _bytes_of(buffer: c_void_p) -> bytes:
    data = ctypes.string_at(_c.library.picaflor_buffer_data(buffer), _c.library.picaflor_buffer_size(buffer))
    _c.check(_c.library.picaflor_buffer_destroy(buffer))
    return data


class Engine(_Handle):
    """Compiles and interprets."""

    _destroy = "picaflor_engine_destroy"

    def __init__(self, mode: int = MODE_BACKGROUND, compile_threads: int = 0, disk_cache: str | None = None,
                 mapping: int = MAPPING_DEFAULT, effort: int = EFFORT_ADAPTIVE, cpu: int = CPU_HOST):
        config = _c.EngineConfig(mode=mode, compile_threads=compile_threads, mapping=mapping, effort=effort, cpu=cpu)
        config.disk_cache = None if disk_cache is None else disk_cache.encode()
        super().__init__(lambda out: _c.library.picaflor_engine_create(byref(config), out))

    def stats(self) -> dict[str, int]:
        stats = _c.EngineStats()
        _c.check(_c.library.picaflor_engine_get_stats(self._handle, byref(stats)))
        return {name: getattr(stats, name) for name in _c.COUNTERS}

    def reset_stats(self) -> None:
        _c.check(_c.library.picaflor_engine_reset_stats(self._handle))

    def refusals(self) -> list[str]:
        """Programs and states left to the interpreter, each with its count and reason."""
        text = c_void_p()
        _c.check(_c.library.picaflor_engine_refusals(self._handle, byref(text)))
        return _bytes_of(text).rstrip(b"\0").decode().splitlines()


class _Machine(_Handle):
    _prefix = ""
    _config = None
    _rates = None
    _stats = None

    def __init__(self, engine: Engine, memory: dict[int, bytearray], threads: int = 0):
        """``memory``: physical address to bytes, which the machine reads and writes in place."""
        self.memory = memory
        self._failures = []
        self._event = self._texture = None
        self._views = [(c_uint8 * len(block)).from_buffer(block) for block in memory.values()]
        regions = (_c.Region * len(memory))()
        for region, address, view in zip(regions, memory, self._views):
            region.address, region.length, region.bytes = address, len(view), ctypes.addressof(view)
        config = _c.Memory(regions=regions, region_count=len(memory))
        machine = self._config(memory=ctypes.pointer(config), threads=threads)
        create = self._function("create")
        super().__init__(lambda out: create(engine._handle, byref(machine), out))

    def close(self) -> None:
        """Destroys the machine. The memory is no longer used, and may be resized."""
        super().close()
        self._views = []

    def _function(self, name: str):
        return getattr(_c.library, f"picaflor_{self._prefix}_{name}")

    def _done(self, status: int) -> None:
        """Checks a call that may have called functions of the host: an exception in one is raised here."""
        if status == _BUSY:  # Nothing was done: the exceptions, if any, are those of the call under way.
            _c.check(status)
        failures, self._failures = self._failures, []
        _raise(status, failures)

    def _guarded(self, function):
        """A function of the host, whose exceptions do not unwind through the library: the first is kept."""

        def call(*arguments):
            try:
                function(*arguments)
            except BaseException as failure:
                self._failures.append(failure)

        return call

    def set_hooks(self, events: int, event) -> None:
        """Calls ``event`` with an :class:`Event` for each of the kinds in ``events``, EVENT_...; None removes it. An
        exception in it is raised by the call that ran the machine, at its end."""
        call = event and _c.EVENT(self._guarded(lambda _, pointer: event(Event(pointer.contents))))
        hooks = _c.Hooks(event=call, events=events) if call else None
        _c.check(self._function("set_hooks")(self._handle, hooks and byref(hooks)))
        self._event = call

    def set_textures(self, texture) -> None:
        """Calls ``texture`` with a :class:`Texture` before it is sampled: to dump it, or to write another image there;
        None removes it. Exceptions as of ``set_hooks``."""

        def show(_, info, texels):
            shown = Texture(info.contents, texels)
            try:
                texture(shown)
            finally:
                shown._end()

        call = texture and _c.TEXTURE(self._guarded(show))
        textures = _c.Textures(texture=call) if call else None
        _c.check(self._function("set_textures")(self._handle, textures and byref(textures)))
        self._texture = call

    def set_timing(self, **rates: int) -> None:
        """Costs for estimates of time in 256ths of a cycle: members of ``picaflor_gpu_rates`` or ``picaflor_ge_rates``;
        those that are not given are the constants of the library."""
        unknown = rates.keys() - {name for name, _ in self._rates._fields_[1:]}
        if unknown:
            raise TypeError(f"no such rates: {', '.join(sorted(unknown))}")
        costs = self._rates(**rates)
        _c.check(self._function("set_timing")(self._handle, byref(costs)))

    def reset_timing(self) -> None:
        """Timing as at first."""
        _c.check(self._function("set_timing")(self._handle, None))

    def take_faults(self) -> list[str]:
        """What the guest did wrong since the last call, in words: the first 64, and how many more there were. They often
        explain a wrong picture."""
        faults, count = (_c.Fault * 64)(), c_size_t()
        take = self._function("take_faults")
        _c.check(take(self._handle, faults, c_size_t(len(faults)), byref(count)))
        kept = [fault.text.decode() for fault in faults[:count.value]]
        more = count.value - len(kept)
        return kept + [f"and {more} more"] if more else kept

    def stats(self) -> dict[str, int]:
        """Counters of the machine, which are part of its state."""
        stats = self._stats()
        _c.check(self._function("get_stats")(self._handle, byref(stats)))
        return {name: getattr(stats, name) for name, _ in stats._fields_[1:]}

    def set_threads(self, count: int) -> None:
        """Threads to draw on; 0: one."""
        _c.check(self._function("set_threads")(self._handle, *_c.u32(count=count)))

    def work(self) -> int:
        """Units of the limit on work that the latest run spent."""
        units = c_uint64()
        _c.check(self._function("work")(self._handle, byref(units)))
        return units.value

    def trace(self, draw: int, pixel: tuple[int, int] | None = None, vertices: range = range(0),
              geometry_runs: range = range(0)) -> None:
        """Traces a draw that is still to come, by its number: a pixel, vertices, runs of the geometry program."""
        if vertices.step != 1 or geometry_runs.step != 1:
            raise ValueError("vertices and runs are traced without gaps: ranges of step 1")
        x, y = pixel or (0, 0)
        request = _c.TraceRequest(
            draw=draw, x=x, y=y, pixel=int(pixel is not None), first_vertex=vertices.start, vertex_count=len(vertices),
            first_run=geometry_runs.start, run_count=len(geometry_runs))
        _c.check(self._function("trace")(self._handle, byref(request)))

    def take_trace(self) -> list[Note]:
        """What was found; empty if the draw has not come. Ends the trace. A pixel with more fragments than are traced
        has a last note, ``omitted`` of the stage ``fragments``."""
        notes = []
        call = _c.NOTE(self._guarded(lambda _, pointer: notes.append(Note(pointer.contents))))
        self._done(self._function("take_trace")(self._handle, call, None, None))
        return notes

    def read_field(self, field: int, first: int = 0, count: int | None = None) -> list[int]:
        """Words of a field of the state: PICAFLOR_FIELD_... of the header."""
        if count is None:
            size = c_size_t()
            _c.check(self._function("field_size")(self._handle, *_c.u32(field=field), byref(size)))
            count = max(size.value - first, 0)
        (number,), (start, length) = _c.u32(field=field), _c.sizes(first=first, count=count)
        words = (c_uint32 * count)()
        _c.check(self._function("read_field")(self._handle, number, start, words, length))
        return list(words)

    def write_field(self, field: int, words: list[int], first: int = 0) -> None:
        array, write = _c.words(words=words), self._function("write_field")
        _c.check(write(self._handle, *_c.u32(field=field), *_c.sizes(first=first), array, c_size_t(len(array))))

    def export_state(self) -> bytes:
        state = c_void_p()
        _c.check(self._function("export")(self._handle, byref(state)))
        return _bytes_of(state)

    def import_state(self, state: bytes) -> None:
        state = _c.data(state)
        _c.check(self._function("import")(self._handle, state, c_size_t(len(state))))

    def start_recording(self) -> None:
        _c.check(self._function("start_recording")(self._handle, None, c_size_t(0)))

    def stop_recording(self) -> bytes:
        capture = c_void_p()
        _c.check(self._function("stop_recording")(self._handle, byref(capture)))
        return _bytes_of(capture)


class Gpu(_Machine):
    """The PICA200."""

    _destroy, _prefix, _config = "picaflor_gpu_destroy", "gpu", _c.GpuConfig
    _rates, _stats = _c.GpuRates, _c.GpuStats

    def run_list(self, address: int, size_bytes: int) -> None:
        numbers = _c.u32(address=address, size_bytes=size_bytes)
        self._done(_c.library.picaflor_gpu_run_list(self._handle, *numbers, None))

    def write(self, address: int, value: int) -> None:
        self._done(_c.library.picaflor_gpu_write(self._handle, *_c.u32(address=address, value=value)))

    def read(self, address: int) -> int:
        value = c_uint32()
        _c.check(_c.library.picaflor_gpu_read(self._handle, *_c.u32(address=address), byref(value)))
        return value.value

    def fill(self, unit: int, start: int, end: int, value: int, width: int) -> None:
        numbers = _c.u32(unit=unit, start=start, end=end, value=value, width=width)
        self._done(_c.library.picaflor_gpu_fill(self._handle, *numbers))

    def write_register(self, id: int, value: int, mask: int = 15) -> None:
        """An internal register, below 0x400."""
        numbers = _c.u32(id=id, value=value, mask=mask)
        self._done(_c.library.picaflor_gpu_write_register(self._handle, *numbers))

    def draw_vertices(self, vertices: list[list[float]]) -> None:
        """Triangles of shaded vertices, of 24 semantics each."""
        if any(len(vertex) != _SEMANTICS for vertex in vertices):
            raise ValueError(f"a vertex has {_SEMANTICS} semantics")
        rows = (ctypes.c_float * _SEMANTICS * len(vertices))(*map(tuple, vertices))
        self._done(_c.library.picaflor_gpu_draw_vertices(self._handle, rows, c_size_t(len(vertices))))

    def interrupts(self) -> int:
        """Pending interrupts, as bits: PICAFLOR_INTERRUPT_... of the header."""
        bits = c_uint32()
        _c.check(_c.library.picaflor_gpu_interrupts(self._handle, byref(bits)))
        return bits.value

    def acknowledge(self, interrupts: int) -> None:
        """Removes these from the pending ones."""
        _c.check(_c.library.picaflor_gpu_acknowledge(self._handle, *_c.u32(interrupts=interrupts)))

    def take_delays(self) -> list[tuple[int, int]]:
        """Interrupt (as bit) and cycles of each since the last call, with ``set_timing``."""
        delays, count = (_c.Delay * 64)(), c_size_t()
        take = _c.library.picaflor_gpu_take_delays
        _c.check(take(self._handle, delays, c_size_t(len(delays)), byref(count)))
        return [(delay.interrupt, delay.cycles) for delay in delays[:count.value]]

    def run_cycles(self) -> int:
        """Estimated cycles of the latest list or draw; 0 without ``set_timing``."""
        cycles = c_uint64()
        _c.check(_c.library.picaflor_gpu_run_cycles(self._handle, byref(cycles)))
        return cycles.value

    def frame_end(self) -> None:
        _c.check(_c.library.picaflor_gpu_frame_end(self._handle))

    def picture(self, screen: int = SCREEN_TOP) -> Picture | None:
        width, height, (number,) = c_uint32(), c_uint32(), _c.u32(screen=screen)
        ask = _c.library.picaflor_gpu_picture
        _c.check(ask(self._handle, number, None, c_size_t(0), byref(width), byref(height)))
        if not width.value:
            return None
        rgb = (c_uint8 * (3 * width.value * height.value))()
        _c.check(ask(self._handle, number, rgb, c_size_t(len(rgb)), byref(width), byref(height)))
        return Picture(width.value, height.value, bytes(rgb))


class Ge(_Machine):
    """The GE, with the queue of its lists."""

    _destroy, _prefix, _config = "picaflor_ge_destroy", "ge", _c.GeConfig
    _rates, _stats = _c.GeRates, _c.GeStats

    def enqueue(self, address: int, stall: int = 0, callback: int = -1) -> int:
        """The answer for the guest: the number of the list."""
        answer = c_uint32()
        request = _c.GeList(address=address, stall=stall, callback=callback)
        _c.check(_c.library.picaflor_ge_enqueue(self._handle, byref(request), byref(answer)))
        return answer.value

    def run(self) -> int:
        progress = c_uint32()
        self._done(_c.library.picaflor_ge_run(self._handle, byref(progress), None))
        return progress.value

    def execute(self, words: list[int]) -> None:
        array = _c.words(words=words)
        self._done(_c.library.picaflor_ge_execute(self._handle, array, c_size_t(len(array))))

    def next_interrupt(self) -> tuple[int, int, int] | None:
        """Kind (1: signal, 2: finish), list and token of the next handler to call, acknowledged; None without one."""
        interrupt = _c.GeInterrupt()
        _c.check(_c.library.picaflor_ge_next_interrupt(self._handle, byref(interrupt)))
        if not interrupt.kind:
            return None
        acknowledge = _c.library.picaflor_ge_acknowledge
        _c.check(acknowledge(self._handle, c_uint32(interrupt.kind), c_uint32(interrupt.list)))
        return interrupt.kind, interrupt.list, interrupt.token

    def cycles(self) -> int:
        """Estimated cycles of all work of the machine."""
        return self._cycles("cycles")

    def interrupt_cycles(self) -> int:
        """The same when the interrupt was raised that ``next_interrupt`` returned last."""
        return self._cycles("interrupt_cycles")

    def _cycles(self, name: str) -> int:
        cycles = c_uint64()
        _c.check(self._function(name)(self._handle, byref(cycles)))
        return cycles.value

    def picture(self, address: int, stride: int = 512, format: int = 3) -> Picture:
        rgb = (c_uint8 * (480 * 272 * 3))()
        numbers = _c.u32(address=address, stride=stride, format=format)
        _c.check(_c.library.picaflor_ge_picture(self._handle, *numbers, rgb, c_size_t(len(rgb))))
        return Picture(480, 272, bytes(rgb))


def replay(engine: Engine, capture: bytes, screen: int = SCREEN_TOP, events: int = 0, event=None) -> list[Frame]:
    """Plays a capture of either machine. ``event`` is called with an :class:`Event` for each of the kinds in ``events``,
    EVENT_...; an exception in it, or Ctrl-C, ends the replay at the next frame and is raised."""
    frames, failures, capture = [], [], _c.data(capture)

    def kept(function):
        """The function, with an exception in it kept, because nothing may unwind through the library."""

        def call(*arguments):
            try:
                if not failures:
                    function(*arguments)
            except BaseException as failure:
                failures.append(failure)
            return len(failures)

        return call

    def take(_, pointer):
        frame = pointer.contents
        size = 3 * frame.width * frame.height
        picture = Picture(frame.width, frame.height, ctypes.string_at(frame.rgb, size)) if size else None
        frames.append(Frame(frame.frame, picture, frame.draws, frame.errors))

    see = kept(lambda _, pointer: event(Event(pointer.contents)))
    hooks = _c.Hooks(event=_c.EVENT(see), events=events) if event else _c.Hooks()
    callback, arguments = _c.FRAME(kept(take)), (capture, c_size_t(len(capture)))
    tail = (byref(hooks), callback, None)
    status = _c.library.picaflor_gpu_replay(engine._handle, *arguments, *_c.u32(screen=screen), *tail)
    if status == _FORMAT:
        text = _c.library.picaflor_last_error().decode()
        status = _c.library.picaflor_ge_replay(engine._handle, *arguments, *tail)
        if status == _FORMAT:
            raise Error(status, f"{text}; as one of the PSP: {_c.library.picaflor_last_error().decode()}")
    _raise(status, failures)
    return frames
