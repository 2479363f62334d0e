//! Random lists: whatever a guest writes, the machine stops, and nothing else happens to the host.

use super::Ge;
use super::display_list::DisplayList;
use super::limits::Limits;
use super::regs::op;
use super::stage::NoEngines;
use super::testing::{Bench, LIST};

/// Random numbers, from a seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn word(&mut self) -> u32 {
        crate::random::word(&mut self.0)
    }

    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.word() % bound
    }

    /// A word that means something more often than not.
    pub(super) fn command(&mut self) -> u32 {
        let argument = self.word() & 0xff_ffff;
        match self.below(12) {
            0 => u32::from(op::BASE) << 24 | self.below(2) << 19,
            1 => {
                u32::from([op::VADDR, op::IADDR][self.below(2) as usize]) << 24
                    | 0x80_0000
                    | argument & 0xffff
            }
            2 => u32::from(op::PRIM) << 24 | self.below(8) << 16 | self.below(40),
            3 => {
                u32::from(op::BEZIER + self.below(2) as u8) << 24
                    | self.below(8) << 8
                    | self.below(8)
                    | argument & 0xf_0000
            }
            4 => u32::from(op::BBOX) << 24 | self.below(20),
            5 => {
                u32::from([op::JUMP, op::BJUMP, op::CALL][self.below(3) as usize]) << 24
                    | 0x80_0000
                    | argument & 0xfff
            }
            6 => u32::from(op::SIGNAL) << 24 | self.below(0x40) << 16 | argument & 0x0fff,
            7 => {
                u32::from([op::END, op::FINISH, op::RET, op::ORIGIN][self.below(4) as usize]) << 24
                    | argument & 0xfff
            }
            8 => u32::from(op::VTYPE) << 24 | argument,
            9 => u32::from(op::PSUB) << 24 | argument & 0x0707,
            _ => self.word(),
        }
    }
}

/// With limits that random lists soon reach.
pub(super) const LIMITS: Limits = Limits {
    work: u64::MAX,
    commands: 4000,
    vertices: 2000,
    run_vertices: 50_000,
    pixels: 1 << 27,
    run_pixels: 1 << 30,
    run_bytes: 1 << 32,
};

fn bench() -> Bench {
    let bench = Bench::new();
    Bench { ge: Ge::new().with_limits(LIMITS), ..bench }
}

#[test]
fn random_lists_stop() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..80 {
        let mut bench = bench();
        let words: Vec<_> =
            (0..0x800).map(|_| if round % 4 == 0 { random.word() } else { random.command() }).collect();
        bench.put(LIST, &words);
        let mut list = DisplayList::new(LIST, 0);
        for _ in 0..8 {
            if bench.go_on(&mut list).is_err() {
                break;
            }
        }
        assert!(list.stack.len() <= super::display_list::CALL_DEPTH);
        assert!(bench.ge.stats().commands <= 8 * 4001);
    }
}

/// As words of a recording, which nothing stops.
#[test]
fn random_words_are_executed() {
    let mut random = Random(0x0fed_cba9_8765_4321);
    for round in 0..60 {
        let mut bench = bench();
        let words: Vec<_> =
            (0..0x400).map(|_| if round % 4 == 0 { random.word() } else { random.command() }).collect();
        let done = bench.ge.execute(&mut NoEngines, &bench.memory, &words);
        let snapshot = bench.ge.save();
        let mut other = Bench::new();
        assert_eq!(other.ge.load(&snapshot), Ok(()));
        assert_eq!(other.ge.save(), snapshot, "{done:?}");
    }
}
