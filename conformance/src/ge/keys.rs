//! The keys of draws: the code that they are drawn by.

use super::undrawn::Undrawn;
use picaflor_interp::Interpreter;
use picaflor_jit::keys::{PixelStateKey, TextureStateKey, TransformStateKey};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Remembered, Stages, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Workers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The keys that a draw asked for; where there is none, why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Of pixel states.
    pub pixels: BTreeSet<String>,
    /// Of the textures in them.
    pub textures: BTreeSet<String>,
    /// Of vertices.
    pub vertices: BTreeSet<String>,
}

impl Asked {
    /// All keys in one line, pixels first. Those of textures are part of those of pixels.
    #[must_use]
    pub fn line(&self) -> String {
        self.pixels.iter().chain(&self.vertices).cloned().collect::<Vec<_>>().join(" ")
    }
}

/// Requests for keys since the last `take`.
#[derive(Debug, Clone, Default)]
pub struct Slip(Arc<Mutex<Asked>>);

impl Slip {
    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests so far; empties the slip.
    pub(super) fn take(&self) -> Asked {
        std::mem::take(&mut *self.lock())
    }
}

/// An engine that records its keys on a slip, where one is given.
pub struct Watched<'a, E> {
    inner: &'a mut E,
    slip: Option<Slip>,
}

impl<'a, E: Stages> Watched<'a, E> {
    pub(super) const fn new(inner: &'a mut E, slip: Option<Slip>) -> Self {
        Self { inner, slip }
    }

    /// The engine.
    pub(super) const fn inner(&self) -> &E {
        self.inner
    }
}

impl<E: Stages> TransformStage for Watched<'_, E> {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        if let Some(slip) = &self.slip {
            let key = TransformStateKey::of(batch.registers)
                .map_or_else(|why| why.to_string(), |key| key.to_string());
            slip.lock().vertices.insert(key);
        }
        self.inner.transform(batch, out);
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        self.inner.remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        self.inner.is_outside(batch)
    }

    /// False while keys are recorded: those of unseen batches are too.
    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        self.slip.is_none() && self.inner.is_unseen(batch, shape)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        self.inner.immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        self.inner.surface(batch)
    }
}

impl<E: Stages> PrimitiveStage for Watched<'_, E> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        self.inner.primitives(batch, pending, out);
    }
}

impl<E: Stages> BlitStage for Watched<'_, E> {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        self.inner.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        self.inner.scan_out(memory, maps, frame)
    }
}

impl<E: Stages> PixelStage for Watched<'_, E> {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        if let Some(slip) = &self.slip {
            let key = PixelStateKey::of(state, Primitive::shape_of(primitives))
                .map_or_else(|why| why.to_string(), |key| key.to_string());
            let mut asked = slip.lock();
            asked.pixels.insert(key);
            asked.textures.extend(TextureStateKey::of(state).map(|key| key.to_string()));
        }
        self.inner.pixel_routine(state, primitives)
    }

    fn is_full(&mut self) -> bool {
        self.inner.is_full()
    }

    fn next_draw(&mut self, pixels: u64) {
        self.inner.next_draw(pixels);
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        self.inner.workers()
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.inner.changed(address, length);
    }
}

/// Keys, each with the number of draws that need it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Draws.
    pub draws: u64,
    /// Of pixel states.
    pub pixels: BTreeMap<String, u64>,
    /// Of the textures in them.
    pub textures: BTreeMap<String, u64>,
    /// Of vertices.
    pub vertices: BTreeMap<String, u64>,
}

impl Keys {
    fn add(&mut self, asked: Asked) {
        let Asked { pixels, textures, vertices } = asked;
        let counts = [&mut self.pixels, &mut self.textures, &mut self.vertices];
        for (counts, keys) in counts.into_iter().zip([pixels, textures, vertices]) {
            keys.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
        }
        self.draws += 1;
    }
}

/// Counts after every draw.
struct Counter {
    slip: Slip,
    keys: Arc<Mutex<Keys>>,
}

impl Observer for Counter {
    fn draw_done(&mut self, _: View<'_>) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).add(self.slip.take());
    }
}

/// The keys of a capture's draws. Vertices are transformed for that, but nothing is drawn.
///
/// # Errors
/// The capture is invalid.
pub fn keys(capture: &Capture) -> Result<Keys, CaptureError> {
    let (slip, keys) = (Slip::default(), Arc::new(Mutex::new(Keys::default())));
    let mut player = Player::new(capture)?;
    let counter = Counter { slip: slip.clone(), keys: Arc::clone(&keys) };
    player.ge_mut().set_observer(Some(Box::new(counter)));
    let mut undrawn = Undrawn(Interpreter::new());
    let mut watched = Watched::new(&mut undrawn, Some(slip));
    while player.step(&mut watched).is_some() {}
    let keys = keys.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_scenes::ge::Scene;

    #[test]
    fn draws_of_a_scene_have_keys() {
        let keys = keys(&Scene::by_name("functions").expect("a scene").capture()).expect("sound");
        assert!(keys.draws > 1 && keys.pixels.len() > 1 && keys.textures.len() > 1, "{keys:?}");
        assert!(keys.pixels.keys().all(|key| key.starts_with("ge/")), "{:?}", keys.pixels);
        assert!(keys.vertices.keys().all(|key| key.starts_with("ge-vertex/")), "{:?}", keys.vertices);
        for texture in keys.textures.keys() {
            assert!(keys.pixels.keys().any(|key| key.contains(texture.as_str())), "{texture}");
        }
        assert!(keys.pixels.values().all(|&count| count <= keys.draws));
    }
}
