"""Tests of the package, with the library of PICAFLOR_LIBRARY: python3 -m unittest discover -s tests"""

import importlib.util
import inspect
import unittest
from unittest import mock

import picaflor
from picaflor import Engine, Error, Ge, Gpu, Picture, compare, replay

VRAM, GE_VRAM = 0x18000000, 0x04000000
SCREEN = [(0x45C, 400 << 16 | 240), (0x468, VRAM), (0x470, 1), (0x490, 720)]


def recording(engine):
    """Three frames of the upper screen, blue, green and red."""
    with Gpu(engine, {VRAM: bytearray(0x100000)}) as gpu:
        gpu.start_recording()
        for colour in (0x0000FF, 0x00FF00, 0xFF0000):
            gpu.fill(0, VRAM, VRAM + 240 * 400 * 3, colour, 3)
            for offset, value in SCREEN:
                gpu.write(0x10400000 + offset, value)
            gpu.frame_end()
        return gpu.stop_recording()


class Machines(unittest.TestCase):
    def test_pica(self):
        engine = Engine(mode=picaflor.MODE_INTERPRETER)
        memory = {VRAM: bytearray(0x100000)}
        gpu = Gpu(engine, memory)
        self.assertIsNone(gpu.picture())
        gpu.fill(0, VRAM, VRAM + 240 * 400 * 3, 0x204080, 3)
        self.assertEqual(memory[VRAM][:4], b"\x80\x40\x20\x80")
        for offset, value in SCREEN:
            gpu.write(0x10400000 + offset, value)
        self.assertEqual(gpu.read(0x10400468), VRAM)
        picture = gpu.picture()
        self.assertEqual((picture.width, picture.height, picture.pixel(3, 4)), (400, 240, (0x20, 0x40, 0x80)))
        gpu.write_field(0, [0x460000], first=0x041)
        other = Gpu(engine, {VRAM: memory[VRAM]})
        other.import_state(gpu.export_state())
        self.assertEqual(other.read_field(0, first=0x041, count=1), [0x460000])
        self.assertEqual(other.picture(), picture)
        with self.assertRaises(Error) as raised:
            gpu.run_list(VRAM + 1, 16)
        self.assertEqual(raised.exception.status, 2)
        gpu.run_list(VRAM, 0)

    def test_closed(self):
        memory = {VRAM: bytearray(0x1000)}
        gpu = Gpu(Engine(), memory)
        with self.assertRaises(BufferError):
            memory[VRAM].extend(b"more")
        gpu.close()
        memory[VRAM].extend(b"more")
        with self.assertRaises(Error) as raised:
            gpu.write(0x10400000, 0)
        self.assertEqual(raised.exception.status, 1)
        gpu.close()

    def test_bytes(self):
        engine = Engine(mode=picaflor.MODE_INTERPRETER)
        gpu = Gpu(engine, {VRAM: bytearray(0x1000)})
        state = gpu.export_state()
        for same in (state, bytearray(state), memoryview(state)):
            gpu.import_state(same)
        for wrong in ("a" * len(state), len(state), None):
            with self.assertRaises(TypeError):
                gpu.import_state(wrong)
            with self.assertRaises(TypeError):
                replay(engine, wrong)

    def test_vertices_of_a_wrong_length(self):
        gpu = Gpu(Engine(mode=picaflor.MODE_INTERPRETER), {VRAM: bytearray(0x1000)})
        for length in (4, 23, 25):
            with self.assertRaises(ValueError):
                gpu.draw_vertices([[0.0] * length] * 3)

    def test_ge(self):
        words = [0xCF000005, 0x0F000003, 0x0C000000]
        memory = {GE_VRAM: bytearray(0x200000)}
        memory[GE_VRAM][:12] = b"".join(word.to_bytes(4, "little") for word in words)
        ge = Ge(Engine(), memory)
        self.assertEqual((ge.enqueue(GE_VRAM), ge.run()), (0, 0))
        ge.execute([0x1F000001])
        self.assertEqual(ge.read_field(0, first=0xCF, count=1), [0xCF000005])
        self.assertEqual(ge.picture(GE_VRAM).pixel(0, 0), (5, 0, 0))


# Registers of a target of 64 by 64 pixels and a texture of 8 by 8 texels, RGBA8, at 256 KiB of VRAM.
TEXTURE = VRAM + 0x40000
TEXTURED = {
    0x041: 0x440000, 0x042: 0x3A000000, 0x043: 0x440000, 0x044: 0x3A000000, 0x04D: 0xBF0000, 0x06D: 1, 0x110: 1,
    0x11C: (VRAM + 0x80000) >> 3, 0x11D: VRAM >> 3, 0x11E: 0x0103F040, 0x06E: 0x0103F040, 0x116: 3, 0x112: 15, 0x113: 15,
    0x0C0: 0x00030003, 0x0C8: 0x000F000F, 0x0D0: 0x000F000F, 0x0D8: 0x000F000F, 0x0F0: 0x000F000F, 0x0F8: 0x000F000F,
    0x100: 0x00E40000, 0x101: 0x01010000, 0x102: 3, 0x107: 0x0F10, 0x080: 1, 0x082: 8 << 16 | 8, 0x083: 0x2200,
    0x085: TEXTURE >> 3, 0x08E: 0,
}


def textured(engine):
    """A machine with these registers, its memory, and a triangle over half of the target."""
    memory = {VRAM: bytearray(0x100000)}
    for at in range(256):
        memory[VRAM][TEXTURE - VRAM + at] = at & 0xFF
    gpu = Gpu(engine, memory)
    for register, value in TEXTURED.items():
        gpu.write_register(register, value)
    corners = [(-1, -1, 0, 0), (1, -1, 1, 0), (-1, 1, 0, 1)]
    triangle = [[x, y, -0.5, 1] + [0] * 8 + [u, v] + [0] * 10 for x, y, u, v in corners]
    return gpu, memory[VRAM], triangle


def pixels(vram):
    return [bytes(vram[at:at + 4]) for at in range(0, 4 * 64 * 64, 4)]


class Hooks(unittest.TestCase):
    def test_textures(self):
        for mode in (picaflor.MODE_INTERPRETER, picaflor.MODE_BLOCKING):
            gpu, vram, triangle = textured(Engine(mode=mode))
            seen = []

            def shown(texture):
                seen.append((texture.address, texture.width, texture.height, texture.texels[0]))
                texture.texels[:] = [0xFF112233] * 64

            gpu.set_textures(shown)
            gpu.draw_vertices(triangle)
            self.assertEqual(seen, [(TEXTURE, 8, 8, 0x00010203)])
            self.assertGreater(pixels(vram).count(b"\xff\x11\x22\x33"), 1000)
            gpu.set_textures(None)
            gpu.draw_vertices(triangle)
            self.assertEqual((len(seen), pixels(vram).count(b"\xff\x11\x22\x33")), (1, 0))

            def fails(_):
                raise KeyError("in a callback")

            gpu.set_textures(fails)
            with self.assertRaises(KeyError):
                gpu.draw_vertices(triangle)
            gpu.draw_vertices([])

    def test_textures_that_are_kept(self):
        gpu, vram, triangle = textured(Engine(mode=picaflor.MODE_INTERPRETER))
        kept = []

        def shown(texture):
            texture.texels[0] = 0x11223344
            kept.extend((texture, texture.texels))

        gpu.set_textures(shown)
        gpu.draw_vertices(triangle)
        texture, texels = kept
        self.assertEqual((texture.address, texture.width), (TEXTURE, 8))
        for read in (lambda: texture.texels, lambda: texture.array()):
            with self.assertRaisesRegex(ValueError, "after its callback"):
                read()
        with self.assertRaises(AttributeError):
            texture.texels = [0] * 64
        # The array is the host's own.
        texels[:] = [0xFF556677] * 64
        gpu.set_textures(lambda _: None)
        gpu.draw_vertices(triangle)
        gpu.close()
        self.assertEqual(list(texels), [0xFF556677] * 64)
        self.assertEqual(pixels(vram).count(b"\xff\x55\x66\x77"), 0)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_texture_arrays(self):
        gpu, vram, triangle = textured(Engine(mode=picaflor.MODE_INTERPRETER))
        kept = []

        def shown(texture):
            texture.array()[:] = (1, 2, 3, 4)
            kept.append(texture.array())

        gpu.set_textures(shown)
        gpu.draw_vertices(triangle)
        gpu.close()
        self.assertGreater(pixels(vram).count(b"\x04\x03\x02\x01"), 1000)
        self.assertEqual(kept[0].tolist(), [[[1, 2, 3, 4]] * 8] * 8)

    def test_events(self):
        gpu, _, triangle = textured(Engine())
        seen = []
        gpu.set_hooks(picaflor.EVENT_DRAW_BEGIN | picaflor.EVENT_DRAW_END, seen.append)
        gpu.draw_vertices(triangle)
        self.assertEqual([event.kind for event in seen], [picaflor.EVENT_DRAW_BEGIN, picaflor.EVENT_DRAW_END])
        members = {name for name, _ in picaflor._c.EventInfo._fields_} - {"register_count"}
        self.assertEqual(members - set(vars(seen[1])), set())
        gpu.set_hooks(0, None)
        gpu.draw_vertices(triangle)
        self.assertEqual(len(seen), 2)

    def test_exceptions_of_a_run_that_fails(self):
        gpu, _, _ = textured(Engine())

        def fails(_):
            raise KeyError("in a callback")

        gpu.set_hooks(picaflor.EVENT_LIST, fails)
        with self.assertRaises(KeyError) as raised:
            gpu.run_list(0x100, 16)
        self.assertEqual(raised.exception.__cause__.status, 7)

    def test_calls_from_a_callback(self):
        gpu, vram, _ = textured(Engine())
        vram[:16] = b"".join(word.to_bytes(4, "little") for word in (0, 0xF0040, 0, 0xF0041))
        refused = []

        def fails_first(event):
            if event.kind == picaflor.EVENT_LIST:
                raise KeyError("in a callback")
            try:
                gpu.write_register(0x40, 1)
            except Error as busy:
                refused.append(busy.status)

        gpu.set_hooks(picaflor.EVENT_LIST | picaflor.EVENT_COMMAND, fails_first)
        with self.assertRaises(KeyError):
            gpu.run_list(VRAM, 16)
        self.assertEqual(refused, [4, 4])

    def test_traces(self):
        gpu, _, triangle = textured(Engine(effort=picaflor.EFFORT_QUICK, cpu=picaflor.CPU_OLDEST))
        with self.assertRaises(Error):
            gpu.take_trace()
        gpu.trace(0, pixel=(2, 3), vertices=range(0, 2), geometry_runs=range(0, 1))
        gpu.draw_vertices(triangle)
        notes = gpu.take_trace()
        self.assertEqual({note.kind for note in notes}, {picaflor.NOTE_PIXEL})
        texels = [note for note in notes if note.name == "texel"]
        self.assertEqual((len(texels), len(texels[0].numbers)), (1, 7))
        self.assertTrue(all(note.text for note in notes))
        with self.assertRaises(ValueError):
            gpu.trace(1, vertices=range(0, 10, 2))

    def test_settings(self):
        for settings in ({"effort": 3}, {"cpu": 3}, {"mapping": 3}, {"disk_cache": ""}):
            with self.assertRaises(Error):
                Engine(**settings)
        Engine(mapping=picaflor.MAPPING_PROTECT, effort=picaflor.EFFORT_CAREFUL, cpu=picaflor.CPU_WITHOUT_AVX)


class Numbers(unittest.TestCase):
    """Numbers that are too large for the type in C, or negative, are neither cut nor wrapped."""

    def refused(self, call, name, arguments):
        for value in (1 << 64, 1 << 70, -1 << 70, (-1 << 31) - 1):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(OverflowError, f"^{name}: "):
                call(**{**arguments, name: value})

    def test_arguments(self):
        engine = Engine(mode=picaflor.MODE_INTERPRETER)
        machines = Gpu(engine, {VRAM: bytearray(0x1000)}), Ge(engine, {GE_VRAM: bytearray(0x200000)})
        calls = [getattr(each, name) for each in machines for name in dir(each) if not name.startswith("_")]
        calls = [call for call in calls if callable(call)] + [Engine, Gpu, Ge, replay]
        fixed = {"capture": recording(engine), "engine": engine, "event": None, "memory": {}, "words": [0]}
        seen = 0
        for call in calls:
            kinds = [each for each in inspect.signature(call).parameters.values() if each.kind != each.VAR_KEYWORD]
            numbers = [each.name for each in kinds if str(each.annotation).startswith("int")]
            arguments = {each.name: fixed[each.name] for each in kinds if each.name in fixed}
            arguments.update((each.name, 0) for each in kinds if each.name in numbers and each.default is each.empty)
            for name in numbers:
                # Events have a use with a function only.
                self.refused(call, name, {**arguments, **({"event": print} if name == "events" else {})})
            seen += len(numbers)
        self.assertGreater(seen, 30)

    def test_members_and_words(self):
        engine = Engine(mode=picaflor.MODE_INTERPRETER)
        gpu, ge = Gpu(engine, {VRAM: bytearray(16)}), Ge(engine, {GE_VRAM: bytearray(16)})
        self.refused(lambda address: Gpu(engine, {address: bytearray(16)}), "address", {})
        self.refused(gpu.set_timing, "command", {})
        self.refused(ge.set_timing, "primitive", {})
        self.refused(lambda words: ge.execute([0, words]), "words", {})
        self.refused(lambda words: gpu.write_field(0, [words]), "words", {})
        self.refused(lambda x: gpu.trace(0, pixel=(x, 0)), "x", {"x": 0})
        for wrong in (1 << 32, 1 << 33):
            with self.assertRaisesRegex(OverflowError, "^address: "):
                Gpu(engine, {wrong: bytearray(16)})
            with self.assertRaisesRegex(OverflowError, "^mode: "):
                Engine(mode=wrong)

    def test_largest(self):
        gpu = Gpu(Engine(mode=picaflor.MODE_INTERPRETER), {0xFFFFF000: bytearray(0x1000)})
        gpu.write_field(0, [0xFFFFFFFF], first=0x0C0)
        self.assertEqual(gpu.read_field(0, first=0x0C0, count=1), [0xFFFFFFFF])
        gpu.trace((1 << 64) - 1, pixel=(-1 << 31, (1 << 31) - 1))
        with self.assertRaises(Error):
            gpu.read_field(0, first=1 << 40)
        with self.assertRaises(TypeError):
            gpu.write(0.5, 0)

    def test_texts(self):
        for folder in ("a\0b", "\0"):
            with self.assertRaisesRegex(ValueError, "^disk_cache: "):
                Engine(disk_cache=folder)


class Counts(unittest.TestCase):
    def test_pica(self):
        memory = {VRAM: bytearray(0x10000)}
        words = [1, 0xF0040, 2, 0xF0041, 0x12345678, 0xF0010, 0, 0]
        memory[VRAM][:32] = b"".join(word.to_bytes(4, "little") for word in words)
        gpu = Gpu(Engine(), memory)
        gpu.set_threads(2)
        gpu.run_list(VRAM, 32)
        stats = gpu.stats()
        self.assertEqual((stats["lists"], stats["draws"], gpu.interrupts() & 8), (1, 0, 8))
        gpu.acknowledge(8)
        self.assertEqual((gpu.interrupts(), gpu.take_faults()), (0, []))
        # There is no memory.
        gpu.fill(0, 0x20000000, 0x20001000, 0, 4)
        self.assertTrue(gpu.take_faults())
        self.assertEqual(gpu.take_faults(), [])
        with self.assertRaises(Error):
            gpu.set_threads(100000)

    def test_ge(self):
        ge = Ge(Engine(), {GE_VRAM: bytearray(0x200000)})
        # A triangle whose vertices lie where there is no memory.
        ge.execute([0x12000180, 0x10080000, 0x01000000, 0x04030003])
        self.assertEqual(ge.stats()["commands"], 4)
        self.assertTrue(ge.take_faults())
        self.assertEqual(ge.take_faults(), [])


class Times(unittest.TestCase):
    def test_pica(self):
        memory = {VRAM: bytearray(0x10000)}
        words = [1, 0xF0040, 2, 0xF0041, 0x12345678, 0xF0010, 0, 0]
        memory[VRAM][:32] = b"".join(word.to_bytes(4, "little") for word in words)
        gpu = Gpu(Engine(), memory)
        gpu.run_list(VRAM, 32)
        self.assertEqual((gpu.take_delays(), gpu.run_cycles()), ([], 0))
        gpu.set_timing()
        gpu.run_list(VRAM, 32)
        self.assertEqual(gpu.take_delays(), [(8, 18)])
        self.assertGreaterEqual(gpu.run_cycles(), 18)
        self.assertGreater(gpu.work(), 0)
        gpu.set_timing(command=1024, fill_byte=picaflor.RATE_NONE)
        gpu.run_list(VRAM, 32)
        gpu.fill(0, VRAM + 0x1000, VRAM + 0x2000, 0, 4)
        self.assertEqual(gpu.take_delays(), [(8, 12), (1, 0)])
        with self.assertRaises(TypeError):
            gpu.set_timing(vertices=1)
        gpu.reset_timing()
        gpu.run_list(VRAM, 32)
        self.assertEqual(gpu.take_delays(), [])

    def test_ge(self):
        words = [0x22000000, 0x0E020007, 0x0C000000, 0x22000001, 0x22000000, 0x0F000009, 0x0C000000]
        memory = {GE_VRAM: bytearray(0x200000)}
        memory[GE_VRAM][:28] = b"".join(word.to_bytes(4, "little") for word in words)
        ge = Ge(Engine(), memory)
        ge.set_timing(command=256)
        with self.assertRaises(Error):
            ge.interrupt_cycles()
        ge.enqueue(GE_VRAM, callback=0)
        ge.run()
        self.assertEqual((ge.cycles(), ge.next_interrupt()[::2]), (7, (1, 7)))
        self.assertEqual(ge.interrupt_cycles(), 3)
        self.assertEqual(ge.next_interrupt(), (2, 0, 9))
        self.assertIsNone(ge.next_interrupt())


class Replays(unittest.TestCase):
    def test_frames_and_events(self):
        engine = Engine(mode=picaflor.MODE_BLOCKING)
        capture, seen = recording(engine), []
        frames = replay(engine, capture, events=picaflor.EVENT_TRANSFER_END, event=seen.append)
        self.assertEqual([frame.number for frame in frames], [0, 1, 2])
        pixels = [frame.picture.pixel(100, 100) for frame in frames]
        self.assertEqual(pixels, [(0, 0, 255), (0, 255, 0), (255, 0, 0)])
        self.assertEqual([(event.number, len(event.registers)) for event in seen], [(0, 1024)] * 3)
        self.assertEqual(engine.refusals(), [])
        self.assertEqual(set(engine.stats()) >= {"compiles", "refusals"}, True)
        engine.reset_stats()

    def test_failures(self):
        engine = Engine()
        with self.assertRaises(Error) as raised:
            replay(engine, b"no capture at all")
        self.assertIn("as one of the PSP", str(raised.exception))

        def fails(_):
            raise KeyError("in a callback")

        with self.assertRaises(KeyError):
            replay(engine, recording(engine), events=picaflor.EVENT_TRANSFER_END, event=fails)

    def test_interrupted(self):
        engine = Engine()
        with mock.patch("picaflor.Frame", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            replay(engine, recording(engine))


class Pictures(unittest.TestCase):
    def test_pixels(self):
        picture = Picture(2, 3, bytes(range(18)))
        self.assertEqual(picture.pixel(1, 2), (15, 16, 17))
        for place in ((2, 0), (0, 3), (-1, 0), (0, -1)):
            with self.assertRaises(IndexError):
                picture.pixel(*place)

    def test_comparison(self):
        expected = Picture(2, 2, bytes(range(12)))
        actual = Picture(2, 2, bytes(range(11)) + b"\x0e")
        found = compare(expected, actual)
        self.assertEqual((found.pixels, found.largest, found.first), (1, 3, (1, 1)))
        self.assertEqual(compare(expected, expected).pixels, 0)
        with self.assertRaises(ValueError):
            compare(expected, Picture(1, 4, bytes(12)))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_arrays(self):
        self.assertEqual(Picture(2, 1, bytes(range(6))).array().shape, (1, 2, 3))

    def test_names(self):
        constants = {name for name in vars(picaflor) if name.isupper() and not name.startswith("_")}
        self.assertEqual(constants - set(picaflor.__all__), set())

    def test_version(self):
        self.assertRegex(picaflor.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
