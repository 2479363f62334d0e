//! Geometry programs: one run at a time, in lane 0, with registers that persist.
