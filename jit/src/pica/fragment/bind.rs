//! From registers and tables to the constants of a draw.

use super::ImageKey;
use super::draw_states::DrawStates;
use super::pool::{Pool, Pooled, Storage};
use super::{fog, fragop, lighting_bind, proctex, texture};
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::pica::found::ToFind;
use crate::cpu_level::CpuLevel;
use crate::error::CompileError;
use crate::pica::fragment::light_tables::LightTables;
use crate::pica::fragment::proctex::tables::ProctexTables;
use crate::pica::key::fragment::FragmentKey;
use crate::texture_cache::Images;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::surface::Target;
use std::sync::Arc;

/// The constants of a draw, with the owners of the memory they point to.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) constants: Pooled,
    pub(super) to_find: Arc<ToFind>,
}

/// Builds the constants of draws; caches data shared by several draws.
#[derive(Debug, Default)]
pub(crate) struct Binder {
    states: DrawStates,
    pool: Pool,
    tables: LightTables,
    fog: fog::FogTables,
    proctex: ProctexTables,
    /// Bytes of the buffers of the draw that comes next.
    pub(super) target: [(u32, u32); 2],
    /// Pixels in the bounds of the next draw's triangles.
    pub(crate) next_pixels: u64,
    /// Counts lists, and the draws outside of them.
    list: u64,
    in_list: bool,
}

impl Binder {
    /// From here on only draws write memory: those for which [`draws`](Self::draws) is called before.
    pub(crate) fn list_begins(&mut self) {
        self.list += 1;
        self.in_list = true;
    }

    /// Ends a list: memory may be written without announcement again.
    pub(crate) fn list_ends(&mut self) {
        self.in_list = false;
    }

    /// Announces the next draw, compiled or interpreted.
    pub(crate) fn draws(&mut self, state: &FragmentState<'_>, textures: &mut impl Images<ImageKey>) {
        self.list += u64::from(!self.in_list);
        self.target = Target::new(state.registers, state.memory).ranges();
        self.target.iter().for_each(|&bytes| textures.target(bytes));
    }

    /// The number by which the next calls know a state, until another one is asked for.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state that compiled code does not know.
    pub(super) fn state(&mut self, registers: &Registers, level: CpuLevel) -> Result<usize, CompileError> {
        self.states.find(registers, level)
    }

    /// A state's key.
    pub(super) fn key(&self, state: usize) -> &FragmentKey {
        &self.states.get(state).key
    }

    /// Nanoseconds that the interpreter needs for a pixel of a state, about.
    pub(super) fn interpreted(&self, state: usize) -> u64 {
        self.states.get(state).interpreted()
    }

    /// A state's routine, if it is known in this list.
    pub(super) fn routine(&self, state: usize) -> Option<Arc<FragmentRoutine>> {
        self.states.get(state).routine(self.list)
    }

    /// This is a state's routine.
    pub(super) fn keep(&mut self, state: usize, routine: &Arc<FragmentRoutine>) {
        self.states.get_mut(state).keep(self.list, routine);
    }

    /// The constants of the draw that comes next: those that its key makes live.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] where the draw reads its target as a texture.
    pub(super) fn bind(
        &mut self,
        state: usize,
        draw: &FragmentState<'_>,
        images: &mut impl Images<ImageKey>,
    ) -> Result<Bound, CompileError> {
        let registers = draw.registers;
        let known = self.states.get(state);
        let key = &known.whole;
        let mut bound = self.pool.take();
        let Storage { constants, tables, textures, proctex, fog } = bound.fill();
        let target = texture::Written::of(&key.output, self.target);
        texture::bind(&mut constants.textures, (&key.textures, target), draw, images, textures)?;
        constants.depth_scale = [registers.depth_scale(); 4];
        constants.depth_offset = [registers.depth_offset(); 4];
        known.constants.bind(&mut constants.combiner, registers);
        fragop::bind(&mut constants.output, registers);
        if let Some(lighting) = key.lighting() {
            lighting_bind::bind(&mut constants.lighting, lighting, draw, &mut self.tables, tables);
        }
        *fog = fog::bind(&mut constants.fog, key.fog, draw, &mut self.fog);
        *proctex =
            key.proctex().map(|key| proctex::bind(&mut constants.proctex, key, draw, &mut self.proctex));
        Ok(Bound { constants: bound, to_find: Arc::clone(&known.to_find) })
    }
}
