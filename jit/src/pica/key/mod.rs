//! State keys of the PICA200: the state that code is specialised on, without values that code can load.

pub(crate) mod bytes;
pub(crate) mod fragment;
pub(crate) mod programs;
pub(crate) mod shader;
