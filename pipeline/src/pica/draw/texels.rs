//! What draws cost beside their vertices and pixels: textures, and states.

use crate::memory::Memory;
use crate::pica::lut::LutMemory;
use crate::pica::prices;
use crate::pica::regs::Registers;
use crate::pica::shader::program::Program;
use crate::pica::shader::steps::Steps;
use crate::pica::shader::unit::Uniforms;
use crate::pica::stage::VertexBatch;
use crate::pica::surface::{self, Target, feedback};
use crate::pica::switches::{Contents, Form, GeometryForm, OfFragments, OfInvocations};
use crate::tile::Bytes;
use crate::work::states::States;
use crate::work::textures::{Texture, Textures};

/// Textures and states of the draws of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texels {
    textures: Textures<feedback::Texture>,
    states: States,
    /// Of vertex programs, and of geometry programs.
    contents: [Contents; 2],
    /// The latest geometry program by its generation, and what its flow followed.
    geometry: Option<GeometryRun>,
    /// Changes of the tables before the latest draw.
    tables: Option<u64>,
}

/// What the price of a geometry program follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct GeometryRun {
    generation: u64,
    entry: u16,
    bools: u16,
    ints: [[u8; 4]; 4],
    form: GeometryForm,
}

impl Texture for feedback::Texture {
    fn ranges(&self) -> impl Iterator<Item = Bytes> {
        self.faces()
    }

    fn texels(&self) -> u64 {
        self.whole_texels()
    }

    fn meet(a: Bytes, b: Bytes) -> bool {
        surface::overlap(a, b)
    }
}

impl Texels {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.textures.clear();
        self.states.clear();
        (self.geometry, self.tables) = (None, None);
    }

    /// Price of a vertex program for inputs and outputs of this form, if the run has not had it; from then on it has.
    pub(crate) fn vertex_price(&mut self, batch: &VertexBatch<'_>, steps: Steps) -> u64 {
        let form = Form::Vertices(batch.inputs, batch.output);
        self.program_price(batch.program, (batch.entry, batch.uniforms), form, steps)
    }

    /// The same of a geometry program, for each of its runs.
    pub(crate) fn geometry_price(
        &mut self,
        program: &Program,
        (entry, uniforms): (u16, &Uniforms),
        (form, steps): (GeometryForm, Steps),
    ) -> u64 {
        let (generation, bools, ints) = (program.generation(), uniforms.bools(), uniforms.ints());
        let now = Some(GeometryRun { generation, entry, bools, ints, form });
        if self.geometry == now {
            return 0;
        }
        self.geometry = now;
        self.program_price(program, (entry, uniforms), Form::Geometry(form), steps)
    }

    fn program_price(
        &mut self,
        program: &Program,
        (entry, uniforms): (u16, &Uniforms),
        form: Form<'_>,
        steps: Steps,
    ) -> u64 {
        let program = self.contents[program.kind() as usize].of(program);
        let state = OfInvocations { program, entry, uniforms, form };
        self.states.price(state, || prices::STATE + prices::STATE_WORD * steps.code_words())
    }

    /// Price of the state of a draw, if it is new, of tables, if they are, and of its textures, which count as decoded from then on.
    pub(crate) fn price(
        &mut self,
        (registers, luts): (&Registers, &LutMemory),
        target: &Target<'_>,
        memory: &dyn Memory,
    ) -> u64 {
        let are_known = self.tables.replace(luts.changes()) == Some(luts.changes());
        let tables = if are_known { 0 } else { prices::TABLES };
        let state = self.states.price(OfFragments(registers), || prices::fragment_state(registers));
        let first = state.saturating_add(tables).saturating_add(self.textures.draws_to(target.ranges()));
        let price = |texture| self.textures.price(memory, texture, prices::TEXEL);
        feedback::units(registers).map(price).fold(first, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;

    #[test]
    fn tables_are_paid_where_they_change() {
        let (memory, registers) = (FlatMemory::new(0, Vec::new()), Registers::default());
        let (mut texels, mut luts) = (Texels::default(), LutMemory::default());
        let target = Target::new(&registers, &memory);
        let state = prices::fragment_state(&registers);
        let mut price = |luts: &LutMemory| texels.price((&registers, luts), &target, &memory);
        assert_eq!([(); 2].map(|()| price(&luts)), [state + prices::TABLES, 0]);
        luts.change().fog[3] = 1;
        luts.change().noise[3] = 1;
        assert_eq!([(); 2].map(|()| price(&luts)), [prices::TABLES, 0]);
    }
}
