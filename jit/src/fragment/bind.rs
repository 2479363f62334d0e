//! From registers and tables to the constants of a draw.

use super::{fog, lighting_bind, proctex};
use crate::emit::constants::DrawConstants;
use crate::key::fragment::FragmentKey;
use crate::light_tables::{LightTable, LightTables};
use crate::proctex_tables::ProctexTables;
use picaflor_pipeline::stage::FragmentState;
use std::sync::Arc;

/// The constants of a draw, and what they point to.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) constants: Box<DrawConstants>,
    _tables: Vec<Arc<LightTable>>,
    _proctex: Option<proctex::Owners>,
}

/// Makes constants, and keeps what several draws share.
#[derive(Debug, Default)]
pub(crate) struct Binder {
    tables: LightTables,
    proctex: ProctexTables,
}

impl Binder {
    /// The constants of a draw: those that its key makes live.
    pub(super) fn bind(&mut self, key: &FragmentKey, state: &FragmentState<'_>) -> Bound {
        let registers = state.registers;
        let mut constants = Box::<DrawConstants>::default();
        let mut tables = Vec::new();
        constants.depth_scale = [registers.depth_scale(); 4];
        constants.depth_offset = [registers.depth_offset(); 4];
        let proctex = key.proctex.as_ref();
        let proctex = proctex.map(|key| proctex::bind(&mut constants.proctex, key, state, &mut self.proctex));
        if let Some(lighting) = &key.lighting {
            lighting_bind::bind(&mut constants.lighting, lighting, state, &mut self.tables, &mut tables);
        }
        fog::bind(&mut constants.fog, key.fog, state);
        Bound { constants, _tables: tables, _proctex: proctex }
    }
}
