//! Test cards: a painted background over the whole screen, and cells drawn onto it.

use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use crate::pica::flat;
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, source};

/// Background of cards.
pub(super) const NIGHT: [u8; 4] = [18, 24, 44, 255];
/// Labels of cards.
pub(super) const PAPER: [u8; 4] = [236, 226, 200, 255];
/// Labels that matter less.
pub(super) const DIM: [u8; 4] = [128, 140, 170, 255];

/// A card. Places count pixels from the upper left corner.
#[derive(Debug)]
pub(super) struct Card {
    /// Its render target.
    pub(super) buffers: Buffers,
    /// Position, colour and texture coordinates.
    pub(super) program: ShaderProgram,
    screen: Screen,
}

impl Card {
    /// A card with the background that `paint` draws.
    pub(super) fn new(kit: &mut Kit, screen: Screen, paint: impl FnOnce(&mut Canvas)) -> Self {
        let mut canvas = Canvas::plain(512, 256, NIGHT);
        paint(&mut canvas);
        let texture = kit.texture(&canvas, 0);
        let buffers = kit.screen_buffers(screen);
        let card = Self { buffers, program: ShaderProgram::assemble(programs::TEXTURED), screen };
        kit.clear(&buffers, u32::from_be_bytes(NIGHT));
        kit.list.defaults(&buffers).texture(0, &texture, &Sampler::NEAREST).units(1);
        kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
        card.begin(kit);
        let whole = rect([0, 0, 512, 256]);
        card.draw(kit, &whole);
        card
    }

    /// Loads the program, after another one was used.
    pub(super) fn begin(&self, kit: &mut Kit) {
        kit.vertex_program(&self.program);
        kit.matrix(&self.program, "transform", &self.screen.flat());
    }

    /// Draws a shape whose places are pixels from the lower left corner.
    pub(super) fn draw(&self, kit: &mut Kit, mesh: &Mesh) {
        let placed = kit.mesh(mesh);
        kit.draw(&placed);
    }

    /// Draws a rectangle with the whole of a texture.
    pub(super) fn cell(&self, kit: &mut Kit, corners: [i32; 4]) {
        self.draw(kit, &rect(corners));
    }

    /// Shows it.
    pub(super) fn show(&self, kit: &mut Kit) {
        kit.submit();
        kit.show(self.screen, &self.buffers);
    }
}

/// A white rectangle: left, top, right, bottom.
pub(super) fn rect(corners: [i32; 4]) -> Mesh {
    flat::rect(corners.map(|c| c as f32), [1.0; 4])
}

/// A rectangle with a colour for each place in it, given as (u, v).
pub(super) fn shaded(corners: [i32; 4], colour: impl Fn(f32, f32) -> [f32; 4]) -> Mesh {
    rect(corners).map(|vertex| vertex.colour = colour(vertex.uv[0], vertex.uv[1]))
}
