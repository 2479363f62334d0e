//! Registers of this block.

use super::{Class, Description};

pub(super) fn describe(id: u16) -> Description {
    Description::unnamed(id, Class::Configuration)
}
