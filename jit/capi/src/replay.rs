//! Replays of captures: the parts that the machines share.

use crate::raw::{Array, User, c_struct};
use crate::status::{Failure, Status};
use picaflor_pipeline::capture::{CaptureError, Problem};
use picaflor_pipeline::picture::Picture;

c_struct! {
    fixed
    /// `picaflor_frame`.
    FrameInfo {
        /// Red, green and blue of each pixel.
        rgb: Array<u8>,
        /// Width in pixels; 0: nothing is shown.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Number of the frame, from 0 on.
        frame: u32,
        /// Lists and writes that were given up.
        errors: u32,
        /// Draws since the start of the capture.
        draws: u64,
    }
}

/// `picaflor_frame_callback`.
pub(crate) type FrameFn = extern "C" fn(User, *const FrameInfo) -> i32;

/// Where frames go.
pub(crate) struct Frames {
    pub(crate) user: User,
    pub(crate) frame: FrameFn,
}

impl Frames {
    /// Hands a frame over; true to go on.
    pub(crate) fn give(&self, frame: usize, errors: usize, draws: u64, picture: Option<&Picture>) -> bool {
        let (width, height) = picture.map_or((0, 0), |picture| (picture.width, picture.height));
        let rgb = Array::lent(picture.map_or(std::ptr::null(), |picture| picture.rgb.as_ptr()));
        let info = FrameInfo { rgb, width, height, frame: frame as u32, errors: errors as u32, draws };
        (self.frame)(self.user, &raw const info) == 0
    }

    pub(crate) fn new(frame: Option<FrameFn>, user: User) -> Result<Self, Failure> {
        Ok(Self { user, frame: frame.ok_or_else(|| Failure::null("frame"))? })
    }
}

/// A capture that cannot be played.
pub(crate) fn unreadable(error: CaptureError) -> Failure {
    let status =
        if matches!(error.problem, Problem::NoMemory { .. }) { Status::Host } else { Status::Format };
    Failure::new(status, error.to_string())
}
