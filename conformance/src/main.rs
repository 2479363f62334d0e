//! The `picaflor` command line.
fn main() {}
