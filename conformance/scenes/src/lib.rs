//! The scenes of Picaflor, and the kit that they are made with.
//!
//! A scene is guest memory, command lists and what a host does, kept as a capture: [`pica::Scene`], [`ge::Scene`].
//! [`modelling`] holds what scenes of both machines are made of before it becomes bytes of one of them.
//!
//! ```
//! use picaflor_pipeline::pica::float::Precision;
//! use picaflor_scenes::pica::Scene;
//!
//! let capture = Scene::by_name("wrap_modes").expect("one of the scenes").capture(Precision::Console);
//! assert_eq!(capture.frames(), 1);
//! ```

pub mod ge;
pub mod modelling;
pub mod pica;
