//! Test cards: a top screen laid out in pixels from its upper left corner, with pictures and captions.

use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use crate::pica::encode::format;
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, op, source};

/// Ink of captions.
const INK: [f32; 4] = [0.93, 0.9, 0.8, 1.0];

/// A card that is being drawn.
#[derive(Debug)]
pub(super) struct Card {
    /// Its render target.
    pub(super) buffers: Buffers,
    program: ShaderProgram,
    ink: Canvas,
}

impl Card {
    /// A card of one colour, 0xRRGGBBAA. Pictures are blended by their alpha.
    pub(super) fn new(kit: &mut Kit, paper: u32) -> Self {
        let buffers = kit.screen_buffers(Screen::Top);
        kit.clear(&buffers, paper);
        let card = Self {
            buffers,
            program: ShaderProgram::assemble(programs::TEXTURED),
            ink: Canvas::plain(512, 256, [0; 4]),
        };
        card.resume(kit);
        card
    }

    /// Restores the card's own state after other drawing.
    pub(super) fn resume(&self, kit: &mut Kit) {
        kit.list.defaults(&self.buffers).units(1).combiners(&[Combiner::replace(source::TEXTURE0)]);
        kit.list.blend_alpha();
        kit.vertex_program(&self.program);
        kit.matrix(&self.program, "transform", &Screen::Top.flat());
    }

    /// A texture in a rectangle (left, top, width, height), of which `uv` (left, bottom, right, top) shows.
    pub(super) fn picture(
        &self,
        kit: &mut Kit,
        (texture, sampler): (&Texture, &Sampler),
        place: [f32; 4],
        uv: [f32; 4],
    ) {
        kit.list.texture(0, texture, sampler);
        Self::rectangle(kit, place, uv);
    }

    /// A whole texture, texel by texel, in a rectangle.
    pub(super) fn whole(&self, kit: &mut Kit, texture: &Texture, place: [f32; 4]) {
        self.picture(kit, (texture, &Sampler::NEAREST), place, [0.0, 0.0, 1.0, 1.0]);
    }

    /// A rectangle (left, top, width, height) of one colour.
    pub(super) fn plate(&self, kit: &mut Kit, place: [f32; 4], colour: [u8; 4]) {
        kit.list.combiners(&[Combiner::replace(source::CONSTANT).constant(colour)]);
        Self::rectangle(kit, place, [0.0, 0.0, 1.0, 1.0]);
        kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
    }

    fn rectangle(kit: &mut Kit, [x, y, width, height]: [f32; 4], [left, bottom, right, top]: [f32; 4]) {
        let mesh = Mesh::sheet(1, 1, |u, v| [x + u * width, 240.0 - y - height + v * height, 0.5]);
        let mesh = mesh.coloured(INK).map(|corner| {
            let [u, v] = corner.uv;
            corner.uv = [left + u * (right - left), bottom + v * (top - bottom)];
        });
        let placed = kit.mesh(&mesh);
        kit.draw(&placed);
    }

    /// Words with their upper left corner at (x, y).
    pub(super) fn caption(&mut self, x: u32, y: u32, words: &str) {
        self.ink.text(x, y, 1, [255; 4], words);
    }

    /// Words in the middle of a column that starts at x.
    pub(super) fn centred(&mut self, x: u32, width: u32, y: u32, words: &str) {
        let length = words.len() as u32 * 6 - 1;
        self.caption(x + width.saturating_sub(length) / 2, y, words);
    }

    /// The outline of a rectangle (left, top, width, height), drawn in ink.
    pub(super) fn frame(&mut self, [x, y, width, height]: [u32; 4]) {
        let (right, bottom) = (x + width, y + height);
        for line in [[x, y, right, y + 1], [x, bottom - 1, right, bottom]] {
            self.ink.rect(line, [255; 4]);
        }
        for line in [[x, y, x + 1, bottom], [right - 1, y, right, bottom]] {
            self.ink.rect(line, [255; 4]);
        }
    }

    /// Draws the captions and shows the card.
    pub(super) fn finish(self, kit: &mut Kit) {
        let ink = kit.texture(&self.ink, format::A4);
        kit.list.combiners(&[Combiner::replace(source::VERTEX).alpha(op::REPLACE, [source::TEXTURE0; 3])]);
        self.whole(kit, &ink, [0.0, 0.0, 512.0, 256.0]);
        kit.submit();
        kit.show(Screen::Top, &self.buffers);
        kit.frame();
    }
}
