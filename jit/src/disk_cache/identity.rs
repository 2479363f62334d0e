//! Inputs of code generation besides the key.

use super::hash128;
use cranelift_codegen::isa::TargetIsa;
use std::fmt::Write as _;

/// Identity of a code generator and its target: two engines of equal identity compile a key to code with the same results. How
/// much care it took is not in it: files of drafts say so themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    hash: [u8; 16],
    architecture: &'static str,
}

impl Identity {
    /// The identity of this crate's code for a target.
    pub(crate) fn of(isa: &dyn TargetIsa) -> Self {
        Self::of_text(&describe(isa), isa.name())
    }

    fn of_text(text: &str, architecture: &'static str) -> Self {
        Self { hash: hash128(text.as_bytes()), architecture }
    }

    /// A different identity.
    #[cfg(test)]
    pub(crate) fn other(&self) -> Self {
        Self { hash: self.hash.map(|byte| !byte), ..*self }
    }

    /// Hash of the identity.
    pub(super) const fn hash(&self) -> [u8; 16] {
        self.hash
    }

    /// Name of the folder that holds code of this identity.
    pub(super) fn folder_name(&self) -> String {
        let hash = u64::from_le_bytes(std::array::from_fn(|at| self.hash[at]));
        format!("{}-{hash:016x}", self.architecture)
    }
}

/// Versions, sources, target and flags that determine the code, as text.
fn describe(isa: &dyn TargetIsa) -> String {
    let (version, fingerprint) = (env!("CARGO_PKG_VERSION"), env!("PICAFLOR_SOURCE_FINGERPRINT"));
    let (cranelift, triple) = (cranelift_codegen::VERSION, isa.triple());
    // Beside this crate, as published, its sources are not in the fingerprint. Structures that code accesses are `repr(C)`, of
    // sizes and offsets that are asserted.
    let pipeline = picaflor_pipeline::VERSION;
    let mut text = format!(
        "picaflor-jit {version} {fingerprint}, picaflor-pipeline {pipeline}, cranelift {cranelift}, {triple}"
    );
    for value in isa.flags().iter().chain(isa.isa_flags()) {
        // Writing to a string cannot fail.
        let _ = write!(text, ", {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::host_isa;
    use crate::code::targets;
    use crate::cpu_level::CpuLevel;

    #[test]
    fn versions_target_and_flags_are_named() {
        let text = describe(&*host_isa(CpuLevel::Host).unwrap());
        for part in [
            concat!("picaflor-jit ", env!("CARGO_PKG_VERSION"), " "),
            // All crates of the workspace have one version.
            concat!("picaflor-pipeline ", env!("CARGO_PKG_VERSION"), ", "),
            "cranelift 0.135",
            host_isa(CpuLevel::Host).unwrap().triple().to_string().as_str(),
            "opt_level=none",
            "regalloc_algorithm=backtracking",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        #[cfg(target_arch = "x86_64")]
        assert!(text.contains("has_sse41=1"), "{text}");
        assert_eq!(env!("PICAFLOR_SOURCE_FINGERPRINT").len(), 16);
    }

    #[test]
    fn every_target_and_set_of_features_has_its_own() {
        let mut identities = Vec::new();
        for (name, isa) in targets::all() {
            let identity = Identity::of(&*isa);
            assert!(!identities.contains(&identity), "{name}");
            assert!(identity.folder_name().starts_with(isa.name()), "{name}");
            identities.push(identity);
        }
        assert_eq!(
            Identity::of(&*host_isa(CpuLevel::Host).unwrap()),
            Identity::of(&*host_isa(CpuLevel::Host).unwrap())
        );
    }
}
