//! `ListError`: what system calls about lists answer when they refuse.

/// Why a call was refused. Each has the number that the guest gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// Nothing is there to do it to, or it is being done already.
    #[error("there is nothing to do this to")]
    Already,
    /// In use.
    #[error("it is in use")]
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
    /// There is no such mode.
    #[error("there is no such mode")]
    InvalidMode,
    /// Not allowed now, or no such value.
    #[error("this is not allowed, or the value is not")]
    InvalidValue,
    /// Plain failure.
    #[error("this failed")]
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
