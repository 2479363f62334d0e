//! Engines of the GE by name.

use picaflor_interp::ge::Interpreter;
use picaflor_jit::{CompileError, Engine, EngineMode};
use picaflor_pipeline::ge::stage::Stages;

/// The names, the reference first.
///
/// | name | what runs |
/// |---|---|
/// | `interp` | the interpreter, against which the others are held |
/// | `jit` | compiled code made on the spot, the interpreter for what it refuses |
/// | `jit-no-fallback` | as `jit`, and what compiled code refuses is not drawn |
/// | `jit-default` | what an emulator gets without choosing anything |
pub const NAMES: [&str; 4] = ["interp", "jit", "jit-no-fallback", "jit-default"];

/// Why there is no such engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEngine {
    /// Nobody has this name.
    #[error("the engine `{0}` does not draw what the GE draws")]
    Unknown(String),
    /// The host cannot run it.
    #[error(transparent)]
    Host(#[from] CompileError),
}

/// The engine of this name.
///
/// # Errors
/// There is none, or it cannot run here.
pub fn by_name(name: &str) -> Result<Box<dyn Stages>, NoEngine> {
    let blocking = || Engine::builder().mode(EngineMode::Blocking);
    Ok(match name {
        "interp" => Box::new(Interpreter::new()),
        "jit" => Box::new(compiled()?),
        "jit-no-fallback" => Box::new(blocking().fallback(false).build()?),
        "jit-default" => Box::new(Engine::builder().build()?),
        _ => return Err(NoEngine::Unknown(name.into())),
    })
}

/// The engine `jit`, which can say what it compiled.
///
/// # Errors
/// This host cannot run compiled code.
pub fn compiled() -> Result<Engine, CompileError> {
    Engine::builder().mode(EngineMode::Blocking).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_its_engine() {
        assert!(NAMES.into_iter().all(|name| by_name(name).is_ok()));
        assert!(by_name("gpu").is_err());
    }
}
