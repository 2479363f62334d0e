//! Results of a capture of the PICA200: pictures of the displays, and depth.

pub(super) mod flatten;

use crate::image::{Image, stacked};
use crate::replay::Depth;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::display::{ScanOut, Screen};
use picaflor_pipeline::pica::external::External;
use picaflor_pipeline::pica::stage::blit::BlitStage;
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::picture::Picture;

/// The screens in use and their pictures: screens with a possible size, and a mapped buffer or a solid colour.
#[must_use]
pub fn screens(
    external: &External,
    engine: &mut dyn BlitStage,
    memory: &dyn Memory,
) -> Vec<(Screen, Picture)> {
    let shown = |screen| {
        let source = ScanOut::in_use(external, screen);
        let is_lit = source.solid.is_some() || memory.region(source.address, 1).is_some();
        let picture = if is_lit { engine.scan_out(memory, &source) } else { None };
        Some((screen, picture?))
    };
    [Screen::Top, Screen::Bottom].into_iter().filter_map(shown).collect()
}

/// The displays of a machine, stacked as on the console; `None` if no screen is in use.
#[must_use]
pub fn display(pica: &Pica, engine: &mut dyn BlitStage, memory: &dyn Memory) -> Option<Image> {
    let screens = screens(pica.external(), engine, memory);
    stacked(&screens.iter().map(|(_, picture)| Image::from(picture)).collect::<Vec<_>>())
}

/// The depth buffer of the last target.
pub(super) fn depth(pica: &Pica, memory: &dyn Memory) -> Option<Depth> {
    let target = Target::new(pica.registers(), memory);
    let (width, height) = (target.width(), target.height());
    let [_, (address, length)] = target.ranges();
    if width == 0 || length == 0 || memory.region(address, 1).is_none() {
        return None;
    }
    let pixels = (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
    let values = pixels.map(|(x, y)| target.depth(x, y)).collect();
    Some(Depth { width, height, bits: target.depth_bits(), values })
}
