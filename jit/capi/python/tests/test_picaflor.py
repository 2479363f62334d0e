"""Tests of the package, with the library of PICAFLOR_LIBRARY: python3 -m unittest discover -s tests"""

import importlib.util
import unittest

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

    def test_ge(self):
        words = [0xCF000005, 0x0F000003, 0x0C000000]
        memory = {GE_VRAM: bytearray(0x200000)}
        memory[GE_VRAM][:12] = b"".join(word.to_bytes(4, "little") for word in words)
        ge = Ge(Engine(), memory)
        self.assertEqual((ge.enqueue(GE_VRAM), ge.run()), (0, 0))
        ge.execute([0x1F000001])
        self.assertEqual(ge.read_field(0, first=0xCF, count=1), [0xCF000005])
        self.assertEqual(ge.picture(GE_VRAM).pixel(0, 0), (5, 0, 0))


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


class Pictures(unittest.TestCase):
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

    def test_version(self):
        self.assertRegex(picaflor.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
