//! Random registers, tables, memory and triangles.

use super::*;

struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    /// Any bits, small numbers, or special ones.
    fn float(&mut self) -> f32 {
        match self.word() % 4 {
            0 => f32::from_bits(self.word()),
            1 => [0.0, -0.0, f32::NAN, f32::INFINITY, -f32::INFINITY][self.word() as usize % 5],
            _ => self.word() as i32 as f32 / 1e9,
        }
    }

    fn triangle(&mut self) -> Triangle {
        let mut side = || (self.word() % 1024) as i32 - 256;
        let (x, y) = ([side(), side(), side()], [side(), side(), side()]);
        let mut floats = || [self.float(), self.float(), self.float()];
        let (z, r) = (floats(), floats());
        let p = std::array::from_fn(|_| std::array::from_fn(|_| self.float()));
        Triangle { x, y, z, r, p, flat_colour: self.word().is_multiple_of(8).then(|| [self.float(); 4]) }
    }

    /// All registers and tables, with the target mostly where memory is.
    fn scene(&mut self) -> Scene {
        let mut scene = Scene::new();
        for id in 0x040..0x200 {
            let word = self.word();
            if !self.word().is_multiple_of(3) {
                scene.regs.set_raw(id, word);
            }
        }
        scene.regs.set_raw(0x065, scene.regs.raw(0x065) & !2);
        scene.regs.set_raw(0x100, scene.regs.raw(0x100) & !(3 << 24));
        if !self.word().is_multiple_of(4) {
            let dim = (self.word() % 2) << 24 | (SIDE - 1) << 12 | SIDE;
            scene.set(&[(0x11c, DEPTH >> 3), (0x11d, COLOUR >> 3), (0x11e, dim)]);
        }
        let bytes: Vec<u8> = (0..0x1000).map(|_| self.word() as u8).collect();
        write_bytes(&scene.memory, COLOUR, &bytes);
        scene.luts.fog.iter_mut().for_each(|entry| *entry = self.word());
        scene.luts.lighting.iter_mut().flatten().for_each(|entry| *entry = self.word());
        scene
    }
}

/// Whatever the registers hold and the vertices bring, fragments are drawn twice alike and nothing panics.
#[test]
fn random_registers_never_panic() {
    let mut random = Random(1);
    let mut changed = 0;
    for case in 0..400 {
        let scene = random.scene();
        let triangles: Vec<_> = (0..4).map(|_| random.triangle()).collect();
        let (before, target) = (scene.bytes(), Target::new(&scene.regs, &scene.memory));
        let side = |length: u32| length.min(SIDE) as i32;
        let tile = Rect { x0: 0, y0: 0, x1: side(target.width()), y1: side(target.height()) };
        let drawn = scene.draw_tile(&triangles, &[0, 1, 2, 3, 3, 4], tile);
        let after = scene.bytes();
        changed += u32::from(after != before);
        write_bytes(&scene.memory, COLOUR, &before);
        assert_eq!(scene.draw_tile(&triangles, &[0, 1, 2, 3, 3, 4], tile), drawn, "case {case}");
        assert_eq!(scene.bytes(), after, "case {case}");
    }
    assert!(changed > 100, "{changed} cases wrote something");
}
