//! Everything that compares engines.

pub mod campaign;
pub mod case;
pub mod cli;
pub mod compare;
pub mod generate;
pub mod locate;
pub mod notation;
pub mod outcome;
pub mod reduce;
pub mod report;
