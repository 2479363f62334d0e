//! Fragment workloads: states of the fragment units, each drawn as two large triangles and as many small ones.
//!
//! Triangles arrive clipped and set up, as a [`PrimitiveStage`](picaflor_pipeline::pica::stage::primitive::PrimitiveStage) leaves them,
//! and a routine is bound to its state once. The fragment path remains and is measured: binning, the per-triangle
//! numbers of compiled code, coverage, fragments.
//!
//! Every fragment passes every test, in every repetition: depths are compared with `>=` and drawn again.

pub mod contest;
mod shape;
mod state;

pub use shape::Shape;
pub use state::State;

use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::queue;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentState, NoEngines, TileRoutine};
use picaflor_pipeline::pica::surface::Target;
use picaflor_scenes::pica::kit::Kit;

/// Columns of the target: the upper screen is 400 wide for the viewer, and stands on its side.
pub const WIDTH: u32 = 240;
/// Rows of the target.
pub const HEIGHT: u32 = 400;

/// A state with its target and textures in memory.
#[derive(Debug)]
pub struct Workload {
    /// Which state it is.
    pub state: State,
    registers: Registers,
    luts: Luts,
    memory: BlockMemory,
}

impl Workload {
    /// Puts a state into a machine's registers and memory.
    ///
    /// # Panics
    /// If the scene kit makes an invalid capture.
    #[must_use]
    pub fn new(state: State) -> Self {
        let mut kit = Kit::new();
        let buffers = kit.buffers(WIDTH, HEIGHT);
        kit.clear(&buffers, 0x2040_60ff);
        state.write(&mut kit, &buffers);
        kit.submit();
        let capture = kit.finish(Precision::Console);
        let mut player = Player::new(&capture).expect("a sound capture");
        while player.step(&mut NoEngines).is_some() {}
        Self {
            state,
            registers: player.pica().registers().clone(),
            luts: player.pica().luts().clone(),
            memory: player.memory().clone(),
        }
    }

    /// The registers.
    #[must_use]
    pub const fn registers(&self) -> &Registers {
        &self.registers
    }

    /// The state that fragments depend on.
    #[must_use]
    pub fn fragments(&self) -> FragmentState<'_> {
        FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory }
    }

    /// Triangles for the target.
    #[must_use]
    pub fn triangles(&self, shape: Shape) -> Triangles {
        shape.triangles(&self.registers)
    }

    /// Draws triangles with a routine of this state. Returns the number of fragments.
    pub fn draw(&self, routine: &dyn TileRoutine, triangles: &Triangles, threads: usize) -> u64 {
        let target = Target::new(&self.registers, &self.memory);
        queue::rasterize(routine, self.fragments(), triangles, &target, threads)
    }

    /// The bytes of the colour buffer and of the depth buffer.
    #[must_use]
    pub fn picture(&self) -> [Vec<u8>; 2] {
        Target::new(&self.registers, &self.memory).ranges().map(|(address, length)| {
            self.memory.region(address, length).map_or_else(Vec::new, |bytes| bytes.to_vec())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::contender::blocking_engine;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::memory::write_bytes;
    use picaflor_pipeline::pica::stage::FragmentStage;

    impl Workload {
        fn clear_colour(&self, bytes: &[u8]) {
            let address = self.registers.colorbuffer_loc().address();
            write_bytes(&self.memory, address, bytes);
        }
    }

    #[test]
    fn engines_draw_the_same_and_compiled_code_draws_all() {
        for state in State::ALL {
            for shape in Shape::ALL {
                let [slow, fast] = [(); 2].map(|()| Workload::new(state));
                let triangles = slow.triangles(shape);
                let blank = slow.picture();
                let expected =
                    slow.draw(&*Interpreter::new().fragment_routine(&slow.fragments()), &triangles, 1);
                let mut engine = blocking_engine().fallback(false).build().unwrap();
                let routine = engine.fragment_routine(&fast.fragments());
                assert_eq!(
                    fast.draw(&*routine, &triangles, 2),
                    expected,
                    "{} {}",
                    state.name(),
                    shape.name()
                );
                assert!(slow.picture() == fast.picture(), "{} {}", state.name(), shape.name());
                assert!(slow.picture()[0] != blank[0], "{} draws nothing", state.name());
                assert_eq!(engine.stats().missing_tiles, 0);
            }
        }
    }

    #[test]
    fn every_fragment_passes_again() {
        for state in State::ALL {
            let workload = Workload::new(state);
            let triangles = workload.triangles(Shape::FullScreen);
            let routine = Interpreter::new().fragment_routine(&workload.fragments());
            let pixels = u64::from(WIDTH * HEIGHT);
            let [blank, _] = workload.picture();
            assert_eq!(workload.draw(&*routine, &triangles, 1), pixels);
            let [first, depth] = workload.picture();
            workload.clear_colour(&blank);
            assert_eq!(workload.draw(&*routine, &triangles, 1), pixels);
            // A fragment that failed this time would have left its pixel blank.
            assert!(workload.picture() == [first, depth], "{}", state.name());
        }
    }
}
