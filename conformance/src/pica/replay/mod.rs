//! Results of a capture of the PICA200: pictures of the displays, and depth.

pub(super) mod flatten;

use crate::image::{Image, beside, stacked};
use crate::plays::{Depth, Eye};
use picaflor_interp::pica::surface::Surface;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::display::{ScanOut, Screen, UpperMode};
use picaflor_pipeline::pica::external::External;
use picaflor_pipeline::pica::stage::blit::BlitStage;
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::picture::Picture;

/// The screens in use and their pictures: screens with a possible size, and a mapped buffer or a solid colour; for the
/// right eye where the machine shows it.
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
    let right = (UpperMode::in_use(external) == UpperMode::Stereo).then_some(Screen::TopRight);
    [Some(Screen::Top), right, Some(Screen::Bottom)].into_iter().flatten().filter_map(shown).collect()
}

/// The displays of a machine as an eye sees them, stacked as on the console; `None` if no screen is in use. Where the
/// machine has no picture for the right eye, it sees that of the left one.
#[must_use]
pub fn display(pica: &Pica, engine: &mut dyn BlitStage, memory: &dyn Memory, eye: Eye) -> Option<Image> {
    let screens = screens(pica.external(), engine, memory);
    let of = |screen| {
        let (_, picture) = screens.iter().find(|(shown, _)| *shown == screen)?;
        Some(Image::from(picture))
    };
    let (left, right) = (of(Screen::Top), of(Screen::TopRight));
    let right = right.or_else(|| left.clone());
    let upper = match eye {
        Eye::Left => left,
        Eye::Right => right,
        Eye::Both => beside(&[left, right].into_iter().flatten().collect::<Vec<_>>()),
    };
    stacked(&[upper, of(Screen::Bottom)].into_iter().flatten().collect::<Vec<_>>())
}

/// The depth buffer of the last target.
pub(super) fn depth(pica: &Pica, memory: &dyn Memory) -> Option<Depth> {
    let target = Target::new(pica.registers(), memory);
    let (width, height) = (target.width(), target.height());
    let [_, (address, length)] = target.ranges();
    if width == 0 || length == 0 || memory.region(address, 1).is_none() {
        return None;
    }
    let surface = Surface::new(pica.registers(), memory);
    let pixels = (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
    let values = pixels.map(|(x, y)| surface.depth(x, y)).collect();
    Some(Depth { width, height, bits: surface.depth_bits(), values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_pipeline::pica::stage::NoEngines;

    const RAM: u32 = 0x2000_0000;

    /// A screen of 2 x 1 pixels for each eye, red and blue, in a mode of the upper screen.
    fn machine(format: u32) -> (Pica, BlockMemory) {
        let memory = BlockMemory::zeroed(&[(RAM, 0x1000)]);
        write_bytes(&memory, RAM, &[0, 0, 255]);
        write_bytes(&memory, RAM + 0x100, &[255, 0, 0]);
        let mut pica = Pica::new(Precision::Console);
        let words = [(0x45c, 0x0002_0001), (0x468, RAM), (0x494, RAM + 0x100), (0x470, format)];
        for (offset, word) in words {
            pica.write_mmio(&mut NoEngines, &memory, 0x1040_0000 + offset, word).expect("no list");
        }
        (pica, memory)
    }

    #[test]
    fn eyes() {
        let colours = |format| {
            let (pica, memory) = machine(format);
            [Eye::Left, Eye::Right, Eye::Both].map(|eye| {
                let image = display(&pica, &mut Interpreter::new(), &memory, eye).expect("a screen in use");
                (0..image.width()).step_by(2).map(|x| image.pixel(x, 0)).collect::<Vec<_>>()
            })
        };
        let [red, blue] = [[255, 0, 0], [0, 0, 255]];
        assert_eq!(colours(0x321), [vec![red], vec![blue], vec![red, blue]], "stereo");
        assert_eq!(colours(0x341), [vec![red], vec![red], vec![red, red]], "both eyes see one picture");
    }

    #[test]
    fn the_right_eye_is_a_screen_where_it_is_shown() {
        let shown = |format| {
            let (pica, memory) = machine(format);
            let screens = screens(pica.external(), &mut Interpreter::new(), &memory);
            screens.iter().map(|(screen, picture)| (*screen, picture.width)).collect::<Vec<_>>()
        };
        assert_eq!(shown(0x321), [(Screen::Top, 2), (Screen::TopRight, 2)]);
        assert_eq!(shown(0x341), [(Screen::Top, 2)]);
        assert_eq!(shown(0x301), [(Screen::Top, 800)]);
    }
}
