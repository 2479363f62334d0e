//! What fragment lighting is specialised on: which tables, inputs and factors each light needs.
//!
//! Lights keep the order of their slots; their ids are gone, as colours, positions and tables are bound in
//! that order. Scales of tables are data.

use crate::emit::pica::block::Interpolants;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::lighting::{BumpMode, LightingInput, LightingTable};
use std::fmt;

/// Fragment lighting, when a combiner reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LightingKey {
    /// Which of the primary and the secondary colour are read.
    pub(crate) live: [bool; 2],
    pub(crate) bump: BumpKey,
    pub(crate) shadow: Option<ShadowKey>,
    /// No highlights where there is no diffuse light.
    pub(crate) clamp_highlights: bool,
    /// By the code of [`LightingTable`]; what spot tables have in common, whichever lights use them.
    pub(crate) tables: [Option<TableKey>; 7],
    /// Which of the live colours take their alpha from Fresnel.
    pub(crate) fresnel: [bool; 2],
    /// Slots in use.
    pub(crate) count: u8,
    /// By slot; those past `count` are plain.
    pub(crate) lights: [LightKey; 8],
}

/// What a texture does to the surface's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum BumpKey {
    None,
    /// It is the normal. With `keep_z` its z is used as it is.
    Normal {
        unit: u8,
        keep_z: bool,
    },
    /// It is the tangent.
    Tangent {
        unit: u8,
    },
}

/// The shadow unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ShadowKey {
    pub(crate) unit: u8,
    pub(crate) invert: bool,
    /// Which of diffuse and specular light it acts on.
    pub(crate) acts: [bool; 2],
    /// Which of the live colours' alpha it acts on.
    pub(crate) alpha: [bool; 2],
}

/// How a table is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TableKey {
    pub(crate) input: LightingInput,
    pub(crate) signed: bool,
}

/// One slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct LightKey {
    pub(crate) directional: bool,
    pub(crate) two_sided: bool,
    /// Geometric factor on specular 0 and 1.
    pub(crate) geometric: [bool; 2],
    pub(crate) spot: bool,
    pub(crate) distance: bool,
    /// Whether shadow acts on this light.
    pub(crate) shadow: bool,
}

impl LightingKey {
    /// Lighting of which the primary and the secondary colour are read or not. `None` when it is disabled.
    pub(crate) fn of(registers: &Registers, live: [bool; 2]) -> Option<Self> {
        if registers.lighting_disable().disabled() || live == [false; 2] {
            return None;
        }
        let config = registers.lighting_config0();
        let shadow = shadow(registers, live);
        let count = registers.num_lights().last() + 1;
        let alpha = [config.primary_alpha() && live[0], config.secondary_alpha() && live[1]];
        let mut key = Self {
            live,
            bump: BumpKey::None,
            shadow,
            clamp_highlights: config.clamp_highlights() && live[1],
            tables: [None; 7],
            fresnel: alpha,
            count,
            lights: [LightKey::default(); 8],
        };
        for slot in 0..usize::from(count) {
            key.lights[slot] = light(registers, slot, live, shadow);
        }
        for (n, &table) in LightingTable::ALL.iter().enumerate() {
            key.tables[n] = key.table(registers, table);
        }
        if key.tables[LightingTable::Fresnel as usize].is_none() {
            key.fresnel = [false; 2];
        }
        key.bump = bump(registers, &key);
        key.forget_unused_sides();
        Some(key)
    }

    /// A table that some light looks up.
    fn table(&self, registers: &Registers, table: LightingTable) -> Option<TableKey> {
        let is_used = match table {
            LightingTable::Spot => self.lights.iter().any(|light| light.spot),
            LightingTable::Fresnel => self.fresnel != [false; 2] && has_table(registers, table),
            _ => self.live[1] && has_table(registers, table),
        };
        let signed = registers.lut_input_abs().signed(table);
        let has_cp = registers.lighting_config0().environment() == ENVIRONMENT_WITH_CP;
        let input = match registers.lut_input_select().input(table) {
            LightingInput::CosPhi if !has_cp => LightingInput::Zero,
            input => input,
        };
        is_used.then_some(TableKey { input, signed })
    }

    /// Two-sidedness is dropped where neither diffuse light nor an unsigned input sees it.
    fn forget_unused_sides(&mut self) {
        let unsigned = self.tables.iter().flatten().any(|table| !table.signed);
        for light in &mut self.lights {
            let sees = self.live[0] || self.clamp_highlights || light.geometric != [false; 2] || unsigned;
            light.two_sided &= sees;
        }
    }

    /// The lights in use.
    pub(crate) fn slots(&self) -> &[LightKey] {
        &self.lights[..usize::from(self.count)]
    }

    /// Whether some table is looked up with this input.
    pub(crate) fn uses(&self, input: LightingInput) -> bool {
        self.tables.iter().flatten().any(|table| table.input == input)
    }

    /// A table.
    pub(crate) const fn get(&self, table: LightingTable) -> Option<TableKey> {
        self.tables[table as usize]
    }

    /// The attributes that it reads.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let quaternion = self.reads_normal() || self.uses(LightingInput::CosPhi);
        let quaternion =
            if quaternion { Interpolants::values(&[4, 5, 6, 7]) } else { Interpolants::default() };
        if self.reads_view() { quaternion.union(Interpolants::values(&[18, 19, 20])) } else { quaternion }
    }

    /// Whether it reads the colour of a texture unit.
    pub(crate) fn reads_texture(&self, unit: usize) -> bool {
        let bump = match self.bump {
            BumpKey::None => false,
            BumpKey::Normal { unit: bump, .. } | BumpKey::Tangent { unit: bump } => usize::from(bump) == unit,
        };
        bump || self.shadow.is_some_and(|shadow| usize::from(shadow.unit) == unit)
    }

    /// Whether the view vector matters.
    pub(crate) fn reads_view(&self) -> bool {
        self.reads_half()
            || self.uses(LightingInput::NormalView)
            || self.slots().iter().any(|l| !l.directional)
    }

    /// Whether the half vector matters.
    pub(crate) fn reads_half(&self) -> bool {
        use LightingInput::{CosPhi, NormalHalf, ViewHalf};
        [NormalHalf, ViewHalf, CosPhi].into_iter().any(|input| self.uses(input))
            || self.slots().iter().any(|light| light.geometric != [false; 2])
    }

    /// Whether the normal matters.
    pub(crate) fn reads_normal(&self) -> bool {
        use LightingInput::{CosPhi, LightNormal, NormalHalf, NormalView};
        self.reads_diffuse()
            || [NormalHalf, NormalView, LightNormal, CosPhi].into_iter().any(|i| self.uses(i))
    }

    /// Whether the diffuse factor matters.
    pub(crate) fn reads_diffuse(&self) -> bool {
        self.live[0]
            || self.clamp_highlights
            || self.slots().iter().any(|light| light.geometric != [false; 2])
    }
}

/// The only environment with the input CP.
const ENVIRONMENT_WITH_CP: u8 = 8;

/// Whether the environment has a table that is not disabled for all lights; pica-fragment.md 4.6.
fn has_table(registers: &Registers, table: LightingTable) -> bool {
    use LightingTable::{D0, D1, Fresnel, ReflectionB, ReflectionG, ReflectionR, Spot};
    let (environment, config) = (registers.lighting_config0().environment(), registers.lighting_config1());
    match table {
        D0 => environment != 1 && !config.d0_disabled(),
        D1 => !matches!(environment, 0 | 1 | 5) && !config.d1_disabled(),
        Spot => !matches!(environment, 2 | 3),
        Fresnel => !matches!(environment, 0 | 2 | 4) && !config.fresnel_disabled(),
        ReflectionR => environment != 3 && !config.rr_disabled(),
        ReflectionG => matches!(environment, 4 | 5 | 8) && !config.rg_disabled(),
        ReflectionB => matches!(environment, 4 | 5 | 8) && !config.rb_disabled(),
    }
}

fn light(registers: &Registers, slot: usize, live: [bool; 2], shadow: Option<ShadowKey>) -> LightKey {
    let id = registers.light_permutation().light(slot);
    let (light, config) = (registers.light_config(id), registers.lighting_config1());
    let bit = |lights: u8| lights >> id & 1 != 0;
    LightKey {
        directional: light.directional(),
        two_sided: light.two_sided(),
        geometric: [light.geometric_factor0() && live[1], light.geometric_factor1() && live[1]],
        spot: has_table(registers, LightingTable::Spot) && !bit(config.spot_disabled()),
        distance: !bit(config.distance_disabled()),
        shadow: shadow.is_some_and(|s| s.acts != [false; 2]) && !bit(config.shadow_disabled()),
    }
}

fn shadow(registers: &Registers, live: [bool; 2]) -> Option<ShadowKey> {
    let config = registers.lighting_config0();
    let acts = [config.shadow_primary() && live[0], config.shadow_secondary() && live[1]];
    let alpha = config.shadow_alpha();
    let alpha = [alpha && config.primary_alpha() && live[0], alpha && config.secondary_alpha() && live[1]];
    let matters = config.shadow() && [acts, alpha] != [[false; 2]; 2];
    matters.then(|| ShadowKey { unit: config.shadow_unit(), invert: config.shadow_invert(), acts, alpha })
}

fn bump(registers: &Registers, key: &LightingKey) -> BumpKey {
    let config = registers.lighting_config0();
    let unit = config.bump_unit();
    match config.bump_mode() {
        BumpMode::NormalMap if key.reads_normal() => BumpKey::Normal { unit, keep_z: config.keep_bump_z() },
        BumpMode::TangentMap if key.uses(LightingInput::CosPhi) => BumpKey::Tangent { unit },
        _ => BumpKey::None,
    }
}

impl fmt::Display for LightingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |on: bool, letter: &'static str| if on { letter } else { "" };
        write!(
            f,
            "{}{}{}",
            flag(self.live[0], "p"),
            flag(self.live[1], "s"),
            flag(self.clamp_highlights, "c")
        )?;
        write!(f, "{}{}", flag(self.fresnel[0], "f"), flag(self.fresnel[1], "F"))?;
        match self.bump {
            BumpKey::None => {}
            BumpKey::Normal { unit, keep_z } => write!(f, ".n{unit}{}", flag(keep_z, "z"))?,
            BumpKey::Tangent { unit } => write!(f, ".t{unit}")?,
        }
        if let Some(ShadowKey { unit, invert, acts, alpha }) = self.shadow {
            write!(f, ".s{unit}{}{}", flag(invert, "i"), flag(acts[0], "p"))?;
            write!(f, "{}{}{}", flag(acts[1], "s"), flag(alpha[0], "a"), flag(alpha[1], "A"))?;
        }
        for (name, table) in ["d", "e", "o", "f", "b", "g", "r"].into_iter().zip(self.tables) {
            if let Some(table) = table {
                write!(f, ".{name}{}{}", table.input as u8, flag(table.signed, "-"))?;
            }
        }
        for light in self.slots() {
            write!(f, "/{}{}", flag(light.directional, "d"), flag(light.two_sided, "2"))?;
            write!(f, "{}{}", flag(light.geometric[0], "g"), flag(light.geometric[1], "G"))?;
            write!(f, "{}{}{}", flag(light.spot, "o"), flag(light.distance, "a"), flag(light.shadow, "s"))?;
        }
        Ok(())
    }
}
