//! The material of scenes of both machines, before it is encoded for one of them: [`math`] and [`matrix`], [`mesh`],
//! and pictures in [`paint`] with letters.

pub mod compare;
pub mod font;
pub mod math;
pub mod matrix;
pub mod mesh;
pub mod paint;
