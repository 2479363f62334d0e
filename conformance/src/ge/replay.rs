//! Results of a capture of the GE.

use crate::image::Image;
use crate::plays::Depth;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::display::{HEIGHT, WIDTH};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::target::Target;

/// The buffer shown last, if any.
pub(super) fn picture(player: &Player<'_>, stages: &mut dyn Stages) -> Option<Image> {
    player.display().map(|display| Image::from(&player.picture(stages, display)))
}

/// The depth buffer of the last target, as large as the screen.
pub(super) fn depth(player: &Player<'_>) -> Option<Depth> {
    let target = Target::new(player.ge().registers(), player.ge().address_maps(), player.memory())?;
    let value =
        |x: u32, y: u32| u16::from_le_bytes(target.vram.read_array(target.depth_offset(x as i32, y as i32)));
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let values = || pixels.map(|(x, y)| value(x, y).into()).collect();
    (target.depth_stride > 0).then(|| Depth { width: WIDTH, height: HEIGHT, bits: 16, values: values() })
}
