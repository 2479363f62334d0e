//! What scenes of both machines are made of before it becomes bytes of one of them: [`math`] and [`matrix`], [`mesh`],
//! and pictures in [`paint`] with letters.

pub mod compare;
pub mod font;
pub mod math;
pub mod matrix;
pub mod mesh;
pub mod paint;
