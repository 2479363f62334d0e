//! Routines from the disk and to it.

use super::DiskCache;
use super::entry::{Entry, Flaw};
use super::facts;
use crate::code::compile::Compiler;
use crate::code::ge::rows::PixelRoutine;
use crate::code::ge::transforms::TransformRoutine;
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::VertexRoutine;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use crate::key::bytes::to_bytes;
use crate::pica::fragment;
use crate::pica::key::bytes;
use crate::pica::key::programs::KnownProgram;
use crate::routines::{AnyRoutine, RoutineKey, next_id};
use std::sync::Arc;
use std::time::Instant;

/// Facts that passed the check of their file but mean nothing.
const NO_FACTS: Flaw = Flaw::Damaged("its facts make no sense");

impl DiskCache {
    /// The routine of a key, if it is stored.
    ///
    /// # Errors
    /// [`CompileError::BudgetExceeded`] when there is no room for its code.
    pub(crate) fn load_routine(
        &self,
        compiler: &Compiler,
        key: &RoutineKey,
        program: Option<&KnownProgram>,
    ) -> Result<Option<AnyRoutine>, CompileError> {
        let start = Instant::now();
        let Some(key_bytes) = key_bytes(key, program) else { return Ok(None) };
        let loaded = self.load(&key_bytes, |entry| {
            let routine = routine(compiler, key, &entry)?;
            if routine.is_ok() {
                self.loaded(&entry, start.elapsed());
            }
            Ok(routine)
        });
        loaded.transpose()
    }

    /// Stores a routine that was compiled into `code`.
    pub(crate) fn store_routine(
        &self,
        key: &RoutineKey,
        program: Option<&KnownProgram>,
        routine: &AnyRoutine,
        code: &CodeBlock,
    ) {
        let Some(key) = key_bytes(key, program) else { return };
        let facts = match routine {
            AnyRoutine::Vertex(routine) => facts::write_vertex(&routine.facts),
            AnyRoutine::Geometry(routine) => facts::write_geometry(&routine.facts),
            AnyRoutine::Fragment(_) | AnyRoutine::GePixel(_) | AnyRoutine::GeTransform(_) => Vec::new(),
        };
        self.store(&Entry { key: &key, facts: &facts, code: code.bytes() });
    }
}

fn key_bytes(key: &RoutineKey, program: Option<&KnownProgram>) -> Option<Vec<u8>> {
    match key {
        RoutineKey::Vertex(key) => bytes::vertex(key, program?),
        RoutineKey::Geometry(key) => bytes::geometry(key, program?),
        RoutineKey::Fragment(key) => to_bytes("fragment ", &**key),
        RoutineKey::GePixel(key) => to_bytes("ge pixel ", &**key),
        RoutineKey::GeTransform(key) => to_bytes("ge vertex ", &**key),
    }
}

/// The routine of an entry that was written for this key; or why its code cannot be run now.
fn routine(
    compiler: &Compiler,
    key: &RoutineKey,
    entry: &Entry<'_>,
) -> Result<Result<AnyRoutine, CompileError>, Flaw> {
    let code = || compiler.load(&key.to_string(), entry.code);
    Ok(match key {
        RoutineKey::Vertex(key) => {
            let facts = facts::read_vertex(entry.facts).ok_or(NO_FACTS)?;
            let components = key.output.components();
            code()
                .and_then(|code| {
                    VertexRoutine::new(code, key.inputs, components, key.arithmetic, facts, next_id())
                })
                .map(AnyRoutine::Vertex)
        }
        RoutineKey::Geometry(_) => {
            let facts = facts::read_geometry(entry.facts).ok_or(NO_FACTS)?;
            code().and_then(|code| GeometryRoutine::new(code, facts, next_id())).map(AnyRoutine::Geometry)
        }
        RoutineKey::Fragment(key) => code()
            .and_then(|code| FragmentRoutine::new(code, fragment::facts(key)))
            .map(|routine| AnyRoutine::Fragment(Arc::new(routine))),
        RoutineKey::GePixel(_) => {
            code().and_then(PixelRoutine::new).map(|routine| AnyRoutine::GePixel(Arc::new(routine)))
        }
        RoutineKey::GeTransform(key) => code()
            .and_then(|code| TransformRoutine::new(code, key.vertex_type.stride()))
            .map(|routine| AnyRoutine::GeTransform(Arc::new(routine))),
    })
}
