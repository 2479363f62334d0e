//! Recordings of the PICA200 in formats of others: [`ctf`] reads CiTrace files.

pub mod ctf;
