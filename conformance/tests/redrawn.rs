//! Textures of the PICA200 that are drawn anew within a list. Engines keep what they have read of memory until a draw of the
//! list writes it; each draw here reads what the one before it has drawn.

use picaflor_conformance::pica::lists::{Engines, check};
use picaflor_conformance::random::Random;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::modelling::matrix::Matrix;
use picaflor_scenes::modelling::mesh::Mesh;
use picaflor_scenes::pica::encode::format;
use picaflor_scenes::pica::kit::{Buffers, Kit, ShaderProgram, Texture};
use picaflor_scenes::pica::programs;
use picaflor_scenes::pica::state::{Combiner, Sampler, State, op, source};

/// Pixels of a side.
const SIDE: u32 = 32;

fn texture(buffers: &Buffers) -> Texture {
    Texture { address: buffers.colour, width: SIDE, height: SIDE, format: format::RGBA8, levels: 1 }
}

/// Three lists of draws from one of a few buffers into another, with some colour added: no two draws leave the same.
fn redrawn(random: &mut Random) -> Capture {
    let mut kit = Kit::new();
    let program = ShaderProgram::assemble(programs::TEXTURED);
    let buffers: Vec<Buffers> = (0..random.between(2, 4)).map(|_| kit.buffers(SIDE, SIDE)).collect();
    let meshes: Vec<_> = (1..6)
        .map(|n| kit.mesh(&Mesh::quad(2.0, 2.0).coloured([n as f32 / 64.0, 0.125 / n as f32, 0.03, 1.0])))
        .collect();
    for _ in 0..3 {
        for _ in 0..random.between(4, 9) {
            let target = random.below(buffers.len() as u32) as usize;
            let other = (target + 1 + random.below(buffers.len() as u32 - 1) as usize) % buffers.len();
            kit.list.defaults(&buffers[target]).units(1);
            kit.vertex_program(&program);
            kit.matrix(&program, "transform", &Matrix::scale(random.pick(&[1.0, 0.7]), 1.0, 1.0));
            let sampler = random.pick(&[Sampler::NEAREST, Sampler::LINEAR]).wrap(2, 2);
            kit.list.texture(0, &texture(&buffers[other]), &sampler);
            let sum = [source::TEXTURE0, source::VERTEX, source::VERTEX];
            kit.list.combiners(&[Combiner::both(op::ADD, sum)]);
            kit.draw(&meshes[random.below(5) as usize]);
        }
        kit.submit();
    }
    kit.finish(Precision::Console)
}

#[test]
fn what_a_list_draws_anew_is_read_anew() {
    let mut engines = Engines::new().expect("this host runs compiled code");
    for number in 0..60 {
        let capture = redrawn(&mut Random::of_item(1201, number));
        let run = check(&capture, Precision::Console, &mut engines)
            .unwrap_or_else(|why| panic!("case {number}: {why}"));
        assert!(run.stats.draws >= 12 && run.stats.fragments > 12 * 500, "{:?}", run.stats);
        assert!(
            run.given_up.is_empty() && run.faults.as_slice().is_empty(),
            "{:?} {:?}",
            run.given_up,
            run.faults
        );
    }
}
