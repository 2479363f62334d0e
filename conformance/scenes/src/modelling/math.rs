//! Functions of real numbers that give the same bits on every host, so that scenes are the same everywhere:
//! those of the standard library are the system's.

/// Real numbers with functions of their own. Angles are radians.
pub trait Real: Sized {
    /// Sine.
    #[must_use]
    fn sine(self) -> Self;
    /// Cosine.
    #[must_use]
    fn cosine(self) -> Self;
    /// Sine and cosine.
    #[must_use]
    fn sine_cosine(self) -> (Self, Self);
    /// Tangent.
    #[must_use]
    fn tangent(self) -> Self;
    /// The angle of the point (x, self).
    #[must_use]
    fn angle(self, x: Self) -> Self;
    /// e to this power.
    #[must_use]
    fn exponential(self) -> Self;
    /// This number to a power.
    #[must_use]
    fn power(self, exponent: Self) -> Self;
    /// The length of (self, y).
    #[must_use]
    fn hypotenuse(self, y: Self) -> Self;
}

impl Real for f32 {
    fn sine(self) -> Self {
        libm::sinf(self)
    }

    fn cosine(self) -> Self {
        libm::cosf(self)
    }

    fn sine_cosine(self) -> (Self, Self) {
        libm::sincosf(self)
    }

    fn tangent(self) -> Self {
        libm::tanf(self)
    }

    fn angle(self, x: Self) -> Self {
        libm::atan2f(self, x)
    }

    fn exponential(self) -> Self {
        libm::expf(self)
    }

    fn power(self, exponent: Self) -> Self {
        libm::powf(self, exponent)
    }

    fn hypotenuse(self, y: Self) -> Self {
        libm::hypotf(self, y)
    }
}
