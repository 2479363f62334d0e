//! What is found of all quads of some jobs before code draws them, colours of textures and of lights: plain code for vectors of
//! 256 bits, which compiled code does not have. Two quads are one vector.
//!
//! Of [`texels`] a state decides no more than where coordinates come from, how a position is wrapped and which texels are mixed, and
//! of the [`procedural`] texture and of [`lights`] which steps are taken. So none is part of routines, but where a processor has
//! no such vectors.

#[cfg(target_arch = "x86_64")]
mod eight;
#[cfg(target_arch = "x86_64")]
mod lights;
#[cfg(target_arch = "x86_64")]
mod procedural;
#[cfg(target_arch = "x86_64")]
mod stations;
#[cfg(target_arch = "x86_64")]
mod texels;
#[cfg(target_arch = "x86_64")]
mod vectors;

use crate::cpu_level::CpuLevel;
use crate::emit::pica::block::{Interpolants, Job, QUAD_PLACES, QuadNumbers, Slot, slot};
use crate::emit::pica::constants::DrawConstants;
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::fragment::lighting::LightingKey;
use crate::pica::key::fragment::proctex::ProctexKey;
use crate::pica::key::fragment::texture::{Sampler, TextureKey, W};
#[cfg(target_arch = "x86_64")]
use lights::OfLights;
#[cfg(target_arch = "x86_64")]
use procedural::OfProcedural;
use std::ops::Range;
#[cfg(target_arch = "x86_64")]
use texels::OfUnit;

/// Most quads of which something is found at a time: what is known of them stays in the nearest caches. There is a place more at
/// least, as two are found at once.
pub(crate) const MOST_QUADS: usize = QUAD_PLACES - 4;

/// Colours of a quad: four pixels in the order of memory, as texels are stored.
pub(crate) type QuadColours = [u32; 4];

/// Integers of some quads, as [`QuadLanes`](crate::emit::pica::block::QuadLanes).
#[cfg(target_arch = "x86_64")]
type Integers = [[i32; 4]; QUAD_PLACES];

/// What is known of the quads of some jobs, which lie next to each other, so that any two are vectors of eight pixels. Each
/// step goes through all of them, as a host does not look so far ahead that it would see the whole way of more than one.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) struct Stations {
    /// Number of the quads.
    quads: usize,
    /// Slots of each triangle, and its quads.
    runs: Vec<(Range<usize>, Range<usize>)>,
    numbers: QuadNumbers,
    #[cfg(target_arch = "x86_64")]
    of_unit: OfUnit,
    #[cfg(target_arch = "x86_64")]
    of_procedural: Option<Box<OfProcedural>>,
    #[cfg(target_arch = "x86_64")]
    of_lights: Option<Box<OfLights>>,
}

impl Default for Stations {
    fn default() -> Self {
        let lanes = [[0.0; 4]; QUAD_PLACES];
        Self {
            quads: 0,
            runs: Vec::new(),
            numbers: QuadNumbers { edges: [lanes; 3], rd: lanes },
            #[cfg(target_arch = "x86_64")]
            of_unit: OfUnit::default(),
            #[cfg(target_arch = "x86_64")]
            of_procedural: None,
            #[cfg(target_arch = "x86_64")]
            of_lights: None,
        }
    }
}

impl Stations {
    /// What code may know of the quads.
    pub(crate) const fn numbers(&self) -> &QuadNumbers {
        &self.numbers
    }
}

/// True if colours are found here, for code of a level.
pub(crate) fn are_found(level: CpuLevel) -> bool {
    #[cfg(target_arch = "x86_64")]
    return level == CpuLevel::Host && std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = level;
        false
    }
}

/// What is found for a draw.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) struct ToFind {
    /// Units that code or lights read, in their order.
    units: Vec<Unit>,
    procedural: Option<Procedural>,
    lights: Option<Lights>,
    /// Colours of a quad that code reads: those of units, the procedural one, then the primary and the secondary one of lights.
    pub(crate) colours: usize,
    /// Places for the colours of [`MOST_QUADS`] quads, those that only lights read included.
    pub(crate) room: usize,
    /// Attributes that triangles must provide for it, behind those that code reads.
    pub(crate) interpolants: Interpolants,
    /// Where they begin, and slots of a triangle in all.
    pub(crate) behind: usize,
    pub(crate) slots: usize,
}

/// Where the colours of all quads lie: the first one, and how far they are from each other.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct Place {
    first: usize,
    step: usize,
}

/// A unit whose colours are found.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct Unit {
    number: usize,
    sampler: Sampler,
    /// Slots of a triangle: the first one of u, v and w, and of their changes.
    values: [usize; 3],
    changes: [usize; 3],
    to: Place,
}

/// The procedural texture.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct Procedural {
    key: ProctexKey,
    /// True if the colour table matters, not only a separate alpha.
    looks_up: bool,
    /// Slots of a triangle: the first one of u and of v, and of their changes.
    values: [usize; 2],
    changes: [usize; 2],
    to: Place,
}

/// Lights whose colours are found.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct Lights {
    key: LightingKey,
    /// Slots of a triangle: the first ones of the quaternion and of the view, where they matter.
    quaternion: usize,
    view: usize,
    /// The texture that bends the surface, and that of the shadow.
    bump: Read,
    shadow: Read,
    /// Places of the primary and the secondary colour, those that are read.
    to: [Option<Place>; 2],
}

/// The colours that lights read of a unit.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
enum Read {
    /// All pixels have this one.
    Same(u32),
    Of(Place),
}

/// Where the numbers of attributes lie in the slots of a triangle, behind those that code reads.
#[derive(Clone, Copy)]
struct Behind {
    interpolants: Interpolants,
    by: usize,
}

impl Behind {
    /// The first slots of the values of attributes.
    fn values<const N: usize>(&self, semantics: [usize; N]) -> [usize; N] {
        semantics.map(|k| self.by + self.interpolants.slot(k))
    }

    /// Those of their changes.
    fn changes<const N: usize>(&self, semantics: [usize; N]) -> [usize; N] {
        semantics.map(|k| self.by + self.interpolants.change_slot(k))
    }
}

/// Gives out places: for colours that code reads, in its order, and behind them for those that only lights do.
struct Places {
    colours: usize,
    by_code: usize,
    apart: usize,
}

impl Places {
    fn next(&mut self, by_code: bool) -> Place {
        let count = if by_code { &mut self.by_code } else { &mut self.apart };
        let n = *count;
        *count += 1;
        let Self { colours, .. } = *self;
        if by_code {
            Place { first: n, step: colours }
        } else {
            Place { first: (colours + n) * QUAD_PLACES, step: 1 }
        }
    }

    /// Places in all.
    const fn room(&self) -> usize {
        (self.colours + self.apart) * QUAD_PLACES
    }
}

impl ToFind {
    /// For a state, and the key of its code, which leaves out what is found.
    pub(crate) fn new(whole: &FragmentKey, of_code: &FragmentKey) -> Self {
        let samplers = [0, 1, 2].map(|unit| whole.sampler_found_for(of_code, unit));
        let (proctex, lighting) = (whole.proctex_found_for(of_code), whole.lighting_found_for(of_code));
        let of_units = samplers.iter().flatten().map(Sampler::interpolants);
        let interpolants = of_units
            .chain(proctex.map(ProctexKey::interpolants))
            .chain(lighting.map(LightingKey::interpolants))
            .fold(Interpolants::default(), Interpolants::union);
        let behind = of_code.interpolants().slots();
        let numbers = Behind { interpolants, by: behind - slot::ATTRIBUTES };
        let slots = numbers.by + interpolants.slots();

        // In the order in which code takes them.
        let mut places = Places { colours: of_code.colours_found(), by_code: 0, apart: 0 };
        let mut found = [None; 4];
        let mut units = Vec::new();
        for (number, sampler) in samplers.into_iter().enumerate() {
            let Some(sampler) = sampler else { continue };
            let to = places.next(of_code.textures[number] == TextureKey::Found);
            found[number] = Some(to);
            units.push(Unit::new(number, sampler, &numbers, to));
        }
        let looks_up = |key: &ProctexKey| ProctexKey::looks_up(whole.proctex_needs(), key.alpha);
        let procedural = proctex.map(|key| {
            let to = places.next(of_code.finds_procedural());
            found[3] = Some(to);
            let (values, changes) = (numbers.values(key.semantics()), numbers.changes(key.semantics()));
            Procedural { key: *key, looks_up: looks_up(key), values, changes, to }
        });
        let lights = lighting.map(|key| {
            let read = |unit: Option<u8>| {
                let Some(unit) = unit.map(usize::from) else { return Read::Same(0) };
                let without_image = || whole.textures.get(unit).map_or(0, TextureKey::without_image);
                found[unit].map_or_else(|| Read::Same(without_image()), Read::Of)
            };
            let (bump, shadow) = (read(key.bump.unit()), read(key.shadow.map(|shadow| shadow.unit)));
            let [quaternion, view] = numbers.values([4, 18]);
            let to = of_code.lights_found().map(|live| live.then(|| places.next(true)));
            Lights { key: *key, quaternion, view, bump, shadow, to }
        });
        let (colours, room) = (places.colours, places.room());
        Self { units, procedural, lights, colours, room, interpolants, behind, slots }
    }
}

impl Unit {
    fn new(number: usize, sampler: Sampler, numbers: &Behind, to: Place) -> Self {
        let [u, v] = sampler.set();
        let (values, changes) = (numbers.values([u, v, W]), numbers.changes([u, v, W]));
        Self { number, sampler, values, changes, to }
    }
}

/// Quads of a block that have covered pixels: bit 4n for the quad that begins with pixel 4n.
pub(crate) const fn covered_quads(covered: u64) -> u64 {
    let pairs = covered | covered >> 1;
    (pairs | pairs >> 2) & 0x1111_1111_1111_1111
}

/// Finds the colours of the quads that jobs cover, in their order.
///
/// # Panics
/// If there is less [room](ToFind), or numbers of a triangle are not there, which is a bug of the engine.
///
/// # Safety
/// The texels of all levels up to the last one that is read are valid, with [`SPARE`](crate::emit::texels::SPARE) behind them, and
/// so are the tables of the procedural texture and of lights.
pub(crate) unsafe fn find(
    to_find: &ToFind,
    constants: &DrawConstants,
    (jobs, slots): (&[Job], &[Slot]),
    (stations, to): (&mut Stations, &mut [QuadColours]),
) {
    #[cfg(target_arch = "x86_64")]
    {
        let has_vectors = std::arch::is_x86_feature_detected!("avx2");
        assert!(has_vectors, "keys say that colours are found where they can be");
        // SAFETY: the processor has AVX2; the rest is as the caller promises.
        unsafe {
            stations.fill(jobs, slots, to_find.slots);
            for unit in &to_find.units {
                unit.sample(&constants.textures[unit.number], (stations, slots), to);
            }
            if let Some(procedural) = &to_find.procedural {
                procedural.sample(&constants.proctex, (stations, slots), to);
            }
            if let Some(lights) = &to_find.lights {
                lights.light(&constants.lighting, (stations, slots), to);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (to_find, constants, jobs, slots, stations, to);
        unreachable!("no key says that colours are found");
    }
}

#[cfg(test)]
mod tests {
    use super::covered_quads;

    /// Of each quad one pixel after the other, all, or none.
    #[test]
    fn quads_with_covered_pixels() {
        for quads in [0, 1, 0x8000, 0xffff, 0x1234_u64] {
            let of = |pixels: u64| {
                (0..16).filter(|n| quads >> n & 1 != 0).fold(0, |bits, n| bits | pixels << (4 * n))
            };
            for pixels in 1..16 {
                assert_eq!(covered_quads(of(pixels)), of(1), "{quads:#x}, {pixels:#x}");
            }
        }
    }
}
