//! Picaflor for C and C++. `include/picaflor.h` documents the functions; this crate implements them.
//!
//! * Unsafe rooms: [`raw`] and [`memory`] dereference the pointers of C, each kind under the contract that the header
//!   states; [`handle`] counts the users of objects, and recognises what is no handle. Everything else is safe code.
//! * [`status`] has the guard around every function: nothing unwinds into C.
//! * [`log`] hands events of the library to a callback.
//! * [`slot`] restricts a handle to one call at a time.
//! * [`pica`] is the PICA200, [`ge`] the PSP's GE; [`engine`], [`machine`], [`buffer`], [`picture`], [`hooks`], [`later`],
//!   [`record`], [`replay`], [`state`], [`stop`], [`textures`], [`timing`], [`trace`] and [`fault`] serve both.

mod buffer;
mod engine;
mod fault;
mod ge;
mod handle;
mod hooks;
mod later;
mod log;
mod machine;
mod memory;
mod pica;
mod picture;
mod raw;
mod record;
mod replay;
mod slot;
mod state;
mod status;
mod stop;
mod textures;
mod timing;
mod trace;
mod version;

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
#[path = "../../../pipeline/tests/shared/skip.rs"]
mod skip;
