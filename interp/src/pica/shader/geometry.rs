//! `SETEMIT` and `EMIT` (pica-shader.md 5.4 and 5.5). The emit buffer and primitive assembly come after the
//! unit; here an `EMIT` becomes an [`Emission`].

use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit};
use picaflor_pipeline::pica::stage::Emission;

/// `SETEMIT`: the latch stays until the next one, across runs too (measured on a console).
pub(super) const fn setemit(unit: &mut ShaderUnit, instruction: Instruction) {
    unit.latch = EmitLatch {
        id: instruction.emit_id(),
        primitive: instruction.emit_primitive(),
        winding: instruction.emit_winding(),
    };
}

/// `EMIT`: packs the current bank, then switches to the other. A component that is not written again keeps the value
/// of two `EMIT`s ago (measured on a console, Azahar PR 2338).
pub(super) fn emit(unit: &mut ShaderUnit, output_mask: u16) -> Emission {
    let emission = Emission { latch: unit.latch, record: unit.packed_outputs(output_mask) };
    unit.bank = unit.bank & 1 ^ 1;
    emission
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, bare, end, one, setemit};
    use picaflor_pipeline::pica::shader::ops::Opcode;
    use picaflor_pipeline::pica::shader::program::UnitKind;
    use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit};

    const ALL: [(u32, bool, bool); 16] = {
        let mut all = [(0, false, false); 16];
        let mut n = 0;
        while n < 16 {
            all[n] = (n as u32 & 3, n & 4 != 0, n & 8 != 0);
            n += 1;
        }
        all
    };

    fn emit() -> u32 {
        bare(Opcode::Emit)
    }

    /// `mov o[n], v[n]`.
    fn output(n: u32) -> u32 {
        one(Opcode::Mov, n, n)
    }

    #[test]
    fn setemit_every_combination() {
        for (id, primitive, winding) in ALL {
            let mut bench = Bench::new(UnitKind::Geometry, &[setemit(id, primitive, winding), emit(), end()]);
            let latch = EmitLatch { id: id as u8, primitive, winding };
            assert_eq!(bench.run().emitted[0].latch, latch);
            assert_eq!(bench.unit.latch, latch);
        }
    }

    #[test]
    fn emit_packs_by_the_mask() {
        let mut bench = Bench::new(UnitKind::Geometry, &[output(1), output(4), output(15), emit(), end()]);
        bench.output_mask = 0x8010;
        (bench.unit.v[1], bench.unit.v[4], bench.unit.v[15]) = ([1.0; 4], [4.0; 4], [15.0; 4]);
        let record = bench.run().emitted[0].record;
        assert_eq!(record[..3], [[4.0; 4], [15.0; 4], [0.0; 4]]);
    }

    /// What is not written again is two EMITs old; the selector and the banks persist.
    #[test]
    fn banks_alternate() {
        let mut bench = Bench::new(UnitKind::Geometry, &[output(0), emit(), end()]);
        let mut first_of_run = |code: &[u32], v0: f32| {
            for (at, &word) in (0..).zip(code) {
                bench.program.write_code(at, word);
            }
            bench.unit.v[0] = [v0; 4];
            let emitted = bench.run().emitted;
            (emitted.iter().map(|e| e.record[0][0]).collect::<Vec<_>>(), bench.unit.bank)
        };
        assert_eq!(first_of_run(&[output(0), emit(), emit(), emit(), end()], 1.0), (vec![1.0, 0.0, 1.0], 1));
        assert_eq!(first_of_run(&[output(0), emit(), emit(), emit(), end()], 2.0), (vec![2.0, 1.0, 2.0], 0));
        assert_eq!(first_of_run(&[emit(), emit(), end()], 3.0), (vec![1.0, 2.0], 0));
    }

    #[test]
    fn everything_but_the_stacks_persists() {
        let unit = ShaderUnit {
            a0: [1, -2],
            al: 77,
            cmp: [true, false],
            latch: EmitLatch { id: 3, primitive: true, winding: false },
            bank: 1,
            r: [[5.0; 4]; 16],
            ..ShaderUnit::default()
        };
        let mut bench = Bench::new(UnitKind::Geometry, &[end()]);
        bench.unit = unit.clone();
        bench.run();
        assert_eq!(bench.unit, unit);
    }

    #[test]
    fn vertex_programs_neither_emit_nor_switch_banks() {
        let mut bench =
            Bench::new(UnitKind::Vertex, &[setemit(2, true, true), output(0), emit(), output(1), end()]);
        (bench.unit.v[0], bench.unit.v[1]) = ([1.0; 4], [2.0; 4]);
        assert_eq!(bench.run().emitted, []);
        assert_eq!((bench.unit.latch, bench.unit.bank), (EmitLatch::default(), 0));
        assert_eq!(bench.unit.o[0][..2], [[1.0; 4], [2.0; 4]]);
    }
}
