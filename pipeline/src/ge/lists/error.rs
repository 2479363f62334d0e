//! `ListError`: errors of the system calls about lists.

/// Reason why a call was refused. Each one has the number that the guest gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The call has no object, or its effect is already in force.
    #[error("the call has no object, or its effect is already in force")]
    Already,
    /// The list is in use.
    #[error("the list is in use")]
    Busy,
    /// All lists are in use.
    #[error("all lists are in use")]
    NoMemory,
    /// No list has this number.
    #[error("no list has this number")]
    InvalidId,
    /// An address is not a multiple of 4.
    #[error("an address is not a multiple of 4")]
    InvalidPointer,
    /// The stack is too large.
    #[error("the stack is too large")]
    InvalidSize,
    /// The mode is unknown.
    #[error("the mode is unknown")]
    InvalidMode,
    /// The call is not allowed now, or the value is out of range.
    #[error("the call is not allowed now, or the value is out of range")]
    InvalidValue,
    /// General failure.
    #[error("general failure")]
    Failed,
}

impl ListError {
    /// The number that the guest gets.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Already => 0x8000_0020,
            Self::Busy => 0x8000_0021,
            Self::NoMemory => 0x8000_0022,
            Self::InvalidId => 0x8000_0100,
            Self::InvalidPointer => 0x8000_0103,
            Self::InvalidSize => 0x8000_0104,
            Self::InvalidMode => 0x8000_0107,
            Self::InvalidValue => 0x8000_01fe,
            Self::Failed => 0xffff_ffff,
        }
    }
}
