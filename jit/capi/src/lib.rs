//! Picaflor for C and C++. What the functions do is written in `include/picaflor.h`; here is how.
//!
//! * [`raw`] and [`memory`] are where pointers of C are followed, each kind with the promise that the header asks
//!   for. Everything else is safe code.
//! * [`status`] has the guard that every function works in: nothing unwinds into C.
//! * [`slot`] lets one call at a time use a handle.
//! * [`program`], [`shade`] and [`geometry`] are the shader level, and [`engine`] serves both.
//! * [`gpu`] and [`work`] are the PICA200, [`ge`] is the PSP's GE; [`machine`], [`record`] and [`fault`] are what both
//!   have.

mod engine;
mod fault;
mod ge;
mod geometry;
mod gpu;
mod machine;
mod memory;
mod program;
mod raw;
mod record;
mod shade;
mod slot;
mod status;
mod version;
mod work;

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
#[path = "../../../tests/skip.rs"]
mod skip;
