//! Key of fragment lighting: the tables, inputs and factors of each light.
//!
//! Lights keep the order of their slots; their ids are gone, as colours, positions and tables are bound in
//! that order. Scales of tables are data.

use crate::emit::pica::block::Interpolants;
use crate::key::bytes::listed;
use crate::key::forms::{After, Digit, Flag, Flags, Maybe, Named, Own, Place};
use crate::key::key;
use crate::key::text::{Reader, Text};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::lighting::{BumpMode, LightingInput, LightingTable};
use std::fmt::{Display, Formatter, Result};

listed! { LightingInput }

key! {
    /// Where the colours of lights come from, when a combiner reads some.
    pub(crate) enum LitKey {
        /// They are found before the code runs.
        Found = "+",
        /// Code computes all of it.
        By(lighting: LightingKey = Own) = "",
    }
}

key! {
    /// Fragment lighting.
    pub(crate) struct LightingKey {
        /// Live colours: primary, secondary.
        pub(crate) live: [bool; 2] = Flags(["p", "s"]),
        /// No highlights where there is no diffuse light.
        pub(crate) clamp_highlights: bool = Flag("c"),
        /// Live colours with alpha from Fresnel.
        pub(crate) fresnel: [bool; 2] = Flags(["f", "F"]),
        pub(crate) bump: BumpKey = Own,
        pub(crate) shadow: Option<ShadowKey> = Maybe(After(".s", Own)),
        /// By the code of [`LightingTable`]; the entry of spot tables is common to all lights.
        pub(crate) tables: [Option<TableKey>; 7] = Named([".d", ".e", ".o", ".f", ".b", ".g", ".r"]),
        pub(crate) lights: Lights = Own,
    }
}

key! {
    /// Effect of a texture on the surface's vectors.
    pub(crate) enum BumpKey {
        None = "",
        /// The texture replaces the normal. With `keep_z` its z is used unchanged.
        Normal { unit: u8 = Digit(4), keep_z: bool = Flag("z") } = ".n",
        /// The texture replaces the tangent.
        Tangent { unit: u8 = Digit(4) } = ".t",
    }
}

key! {
    /// The shadow unit.
    pub(crate) struct ShadowKey {
        pub(crate) unit: u8 = Digit(4),
        pub(crate) invert: bool = Flag("i"),
        /// Effect on diffuse and on specular light.
        pub(crate) acts: [bool; 2] = Flags(["p", "s"]),
        /// Effect on the alpha of the live colours.
        pub(crate) alpha: [bool; 2] = Flags(["a", "A"]),
    }
}

key! {
    /// Lookup of a table.
    pub(crate) struct TableKey {
        pub(crate) input: LightingInput = Place,
        pub(crate) signed: bool = Flag("-"),
    }
}

key! {
    /// The slots.
    pub(crate) struct Lights {
        /// Number of lights in use.
        pub(crate) count: u8,
        /// The lights; entries from `count` on are plain.
        pub(crate) slots: [LightKey; 8],
    }
}

key! {
    /// One slot.
    #[derive(Default)]
    pub(crate) struct LightKey {
        pub(crate) directional: bool = Flag("d"),
        pub(crate) two_sided: bool = Flag("2"),
        /// Geometric factor on specular 0 and 1.
        pub(crate) geometric: [bool; 2] = Flags(["g", "G"]),
        pub(crate) spot: bool = Flag("o"),
        pub(crate) distance: bool = Flag("a"),
        /// True if shadow acts on this light.
        pub(crate) shadow: bool = Flag("s"),
    }
}

impl LitKey {
    /// The lighting that code does.
    pub(crate) const fn by_code(&self) -> Option<&LightingKey> {
        match self {
            Self::Found => None,
            Self::By(lighting) => Some(lighting),
        }
    }
}

impl BumpKey {
    /// The texture unit.
    pub(crate) const fn unit(self) -> Option<u8> {
        match self {
            Self::None => None,
            Self::Normal { unit, .. } | Self::Tangent { unit } => Some(unit),
        }
    }
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
            lights: Lights { count, slots: [LightKey::default(); 8] },
        };
        for slot in 0..usize::from(count) {
            key.lights.slots[slot] = light(registers, slot, live, shadow);
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
            LightingTable::Spot => self.slots().iter().any(|light| light.spot),
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
        for light in &mut self.lights.slots {
            let sees = self.live[0] || self.clamp_highlights || light.geometric != [false; 2] || unsigned;
            light.two_sided &= sees;
        }
    }

    /// The lights in use.
    pub(crate) fn slots(&self) -> &[LightKey] {
        &self.lights.slots[..usize::from(self.lights.count)]
    }

    /// True if some table is looked up with this input.
    pub(crate) fn uses(&self, input: LightingInput) -> bool {
        self.tables.iter().flatten().any(|table| table.input == input)
    }

    /// A table.
    pub(crate) const fn get(&self, table: LightingTable) -> Option<TableKey> {
        self.tables[table as usize]
    }

    /// The attributes that it reads.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let quaternion = if self.reads_quaternion() {
            Interpolants::values(&[4, 5, 6, 7])
        } else {
            Interpolants::default()
        };
        if self.reads_view() { quaternion.union(Interpolants::values(&[18, 19, 20])) } else { quaternion }
    }

    /// True if it reads the colour of a texture unit.
    pub(crate) fn reads_texture(&self, unit: usize) -> bool {
        let units = [self.bump.unit(), self.shadow.map(|shadow| shadow.unit)];
        units.into_iter().flatten().any(|read| usize::from(read) == unit)
    }

    /// True if normal or tangent matter.
    pub(crate) fn reads_quaternion(&self) -> bool {
        self.reads_normal() || self.reads_tangent()
    }

    /// True if the tangent matters.
    pub(crate) fn reads_tangent(&self) -> bool {
        self.uses(LightingInput::CosPhi)
    }

    /// True if the direction of the view matters.
    pub(crate) fn reads_eye(&self) -> bool {
        self.reads_half() || self.uses(LightingInput::NormalView)
    }

    /// True if the view vector matters.
    pub(crate) fn reads_view(&self) -> bool {
        self.reads_eye() || self.slots().iter().any(|l| !l.directional)
    }

    /// True if the half vector matters.
    pub(crate) fn reads_half(&self) -> bool {
        use LightingInput::{CosPhi, NormalHalf, ViewHalf};
        [NormalHalf, ViewHalf, CosPhi].into_iter().any(|input| self.uses(input))
            || self.slots().iter().any(|light| light.geometric != [false; 2])
    }

    /// True if the normal matters.
    pub(crate) fn reads_normal(&self) -> bool {
        use LightingInput::{CosPhi, LightNormal, NormalHalf, NormalView};
        self.reads_diffuse()
            || [NormalHalf, NormalView, LightNormal, CosPhi].into_iter().any(|i| self.uses(i))
    }

    /// True if the diffuse factor matters.
    pub(crate) fn reads_diffuse(&self) -> bool {
        self.live[0]
            || self.clamp_highlights
            || self.slots().iter().any(|light| light.geometric != [false; 2])
    }
}

/// The only environment with the input CP.
const ENVIRONMENT_WITH_CP: u8 = 8;

/// True if the environment has a table that is not disabled for all lights; pica-fragment.md 4.6.
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

/// Each light in use behind a slash.
impl Display for Lights {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { count, slots } = self;
        slots.iter().take(usize::from(*count)).try_for_each(|light| write!(f, "/{light}"))
    }
}

impl Text for Lights {
    fn read(text: &mut Reader<'_>) -> Option<Self> {
        let mut lights = Self { count: 0, slots: [LightKey::default(); 8] };
        while text.takes("/") {
            *lights.slots.get_mut(usize::from(lights.count))? = LightKey::read(text)?;
            lights.count += 1;
        }
        (lights.count > 0).then_some(lights)
    }
}
