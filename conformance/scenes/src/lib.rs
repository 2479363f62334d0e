//! The scenes of Picaflor, and the kit for making them.
//!
//! A scene is guest memory, command lists and actions of a host, kept as a capture: [`pica::Scene`], [`ge::Scene`].
//! [`modelling`] holds the material of scenes of both machines, before it is encoded for one of them.
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
