//! Memory fills.
//!
//! Source: pica-geometry.md 7.1; that a start of 0 writes nothing is assumed.

use super::{FILL_START, announce, is_mapped, is_over};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::stage::blit::Fill;
use picaflor_pipeline::pica::transfer::FillWidth;

/// Fills byte by byte; ends at the first byte that is not mapped.
pub(super) fn run(memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
    if fill.start == 0 {
        return Ok(());
    }
    let value = fill.value.to_le_bytes();
    let unit = &value[..bytes(fill.width)];
    let all = (fill.start..fill.end).take_while(|&address| !is_over(memory, address.into()));
    let unmapped = all.zip(unit.iter().cycle()).find_map(|(address, &byte)| {
        if !is_mapped(memory, address) {
            return Some(address);
        }
        memory.set_byte(address, byte);
        None
    });
    let end = unmapped.unwrap_or(fill.end);
    announce(memory, fill.start, end.saturating_sub(fill.start).into());
    unmapped.map_or(Ok(()), |address| Err(Fault::Unmapped { id: FILL_START, address }))
}

/// Bytes of the value that are repeated.
fn bytes(width: FillWidth) -> usize {
    match width {
        FillWidth::Bits16 => 2,
        FillWidth::Bits24 => 3,
        FillWidth::Bits32 => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Watched;
    use super::*;
    use std::sync::atomic::Ordering;

    const BASE: u32 = 0x1800_0000;

    fn fill(memory: &Watched, start: u32, end: u32, value: u32, width: FillWidth) -> Result<(), Fault> {
        run(memory, &Fill { start, end, value, width })
    }

    /// The vectors of pica-geometry.md 7.1 and 12: the lowest byte first, the value repeated exactly to the end.
    #[test]
    fn widths() {
        let filled = |value, width| {
            let memory = Watched::new(&[(BASE, 32)]);
            fill(&memory, BASE, BASE + 16, value, width).expect("mapped");
            assert_eq!(memory.announced(), [(BASE, 16)]);
            memory.read::<18>(BASE)
        };
        let mut expected = [0; 18];
        expected[..16].copy_from_slice(&[0, 255, 255, 0, 255, 255, 0, 255, 255, 0, 255, 255, 0, 255, 255, 0]);
        assert_eq!(filled(0xeeff_ff00, FillWidth::Bits24), expected);
        assert_eq!(filled(0x00de_adbf, FillWidth::Bits24)[..4], [0xbf, 0xad, 0xde, 0xbf]);
        assert_eq!(filled(0x0000_ffff, FillWidth::Bits32)[..5], [255, 255, 0, 0, 255]);
        assert_eq!(filled(0x1234_5678, FillWidth::Bits16)[14..], [0x78, 0x56, 0, 0]);
    }

    #[test]
    fn nothing_to_fill() {
        let memory = Watched::new(&[(0, 64)]);
        for (start, end) in [(0, 16), (32, 32), (32, 16)] {
            assert_eq!(fill(&memory, start, end, 0x0101_0101, FillWidth::Bits32), Ok(()));
        }
        assert_eq!((memory.set_bytes(0, 64), memory.announced()), (vec![], vec![]));
    }

    #[test]
    fn ends_where_nothing_is_mapped() {
        let memory = Watched::new(&[(BASE, 17)]);
        let fault = Err(Fault::Unmapped { id: 0x8010, address: BASE + 17 });
        assert_eq!(fill(&memory, BASE + 16, BASE + 48, 7, FillWidth::Bits16), fault);
        assert_eq!((memory.set_bytes(BASE, 32), memory.announced()), (vec![(16, 7)], vec![(BASE + 16, 1)]));
        let before = Err(Fault::Unmapped { id: 0x8010, address: BASE - 16 });
        assert_eq!(fill(&memory, BASE - 16, BASE + 16, 7, FillWidth::Bits16), before);
        assert_eq!(memory.announced().len(), 1);
    }

    /// A run that is to end fills up to the next multiple of 4096 bytes; another one fills everything.
    #[test]
    fn ends_where_the_run_does() {
        let filled = |is_stopping: bool| {
            let memory = Watched::new(&[(BASE, 3 * 4096)]);
            memory.is_stopping.store(is_stopping, Ordering::Relaxed);
            fill(&memory, BASE + 4096 - 16, BASE + 2 * 4096, 7, FillWidth::Bits16).expect("mapped");
            memory.set_bytes(BASE, 3 * 4096).len()
        };
        assert_eq!([filled(true), filled(false)], [8, (4096 + 16) / 2]);
    }
}
