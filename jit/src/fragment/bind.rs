//! From registers and tables to the constants of a draw.

use super::{combiner, fog, fragop, lighting_bind, proctex, texture};
use crate::emit::constants::DrawConstants;
use crate::error::CompileError;
use crate::key::fragment::FragmentKey;
use crate::light_tables::{LightTable, LightTables};
use crate::proctex_tables::ProctexTables;
use crate::texture_cache::{Image, TextureCache, TextureStats};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::stage::FragmentState;
use std::sync::Arc;

/// The constants of a draw, and what they point to.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) constants: Box<DrawConstants>,
    _tables: Vec<Arc<LightTable>>,
    _textures: Vec<Arc<Image>>,
    _proctex: Option<proctex::Owners>,
}

/// Makes constants, and keeps what several draws share.
#[derive(Debug)]
pub(crate) struct Binder {
    tables: LightTables,
    textures: TextureCache,
    proctex: ProctexTables,
}

impl Binder {
    /// Keeps so many bytes of textures.
    pub(crate) fn new(texture_budget: usize) -> Self {
        Self {
            tables: LightTables::default(),
            textures: TextureCache::new(texture_budget),
            proctex: ProctexTables::default(),
        }
    }

    /// From here on only draws write memory: those for which [`draws`](Self::draws) is called before.
    pub(crate) fn list_begins(&mut self) {
        self.textures.list_begins();
    }

    /// Anybody may write memory again.
    pub(crate) fn list_ends(&mut self) {
        self.textures.list_ends();
    }

    /// A draw in this state comes next, whoever draws it.
    pub(crate) fn draws(&mut self, state: &FragmentState<'_>) {
        for bytes in Target::new(state.registers, state.memory).ranges() {
            self.textures.target(bytes);
        }
    }

    pub(crate) fn texture_stats(&self) -> TextureStats {
        self.textures.stats()
    }

    /// The constants of a draw: those that its key makes live.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] where the draw reads its target as a texture.
    pub(super) fn bind(
        &mut self,
        key: &FragmentKey,
        state: &FragmentState<'_>,
    ) -> Result<Bound, CompileError> {
        let registers = state.registers;
        let mut constants = Box::<DrawConstants>::default();
        let mut tables = Vec::new();
        constants.depth_scale = [registers.depth_scale(); 4];
        constants.depth_offset = [registers.depth_offset(); 4];
        combiner::bind(&mut constants.combiner, registers, key.needs());
        fragop::bind(&mut constants.output, registers);
        if let Some(lighting) = &key.lighting {
            lighting_bind::bind(&mut constants.lighting, lighting, state, &mut self.tables, &mut tables);
        }
        fog::bind(&mut constants.fog, key.fog, state);
        let textures = texture::bind(&mut constants.textures, key, state, &mut self.textures)?;
        let proctex = key.proctex.as_ref();
        let proctex = proctex.map(|key| proctex::bind(&mut constants.proctex, key, state, &mut self.proctex));
        Ok(Bound { constants, _tables: tables, _textures: textures, _proctex: proctex })
    }
}
