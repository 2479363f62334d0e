//! Picaflor for C and C++. What the functions do is written in `include/picaflor.h`; here is how.
//!
//! * [`raw`] and [`memory`] are where pointers of C are followed, each kind with the promise that the header asks
//!   for. Everything else is safe code.
//! * [`status`] has the guard that every function works in: nothing unwinds into C.
//! * [`slot`] lets one call at a time use a handle.
//! * [`pica`] is the PICA200, [`ge`] the PSP's GE; [`engine`], [`machine`], [`record`] and [`fault`] serve both.

mod engine;
mod fault;
mod ge;
mod machine;
mod memory;
mod pica;
mod raw;
mod record;
mod slot;
mod status;
mod version;

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
#[path = "../../../pipeline/tests/shared/skip.rs"]
mod skip;
