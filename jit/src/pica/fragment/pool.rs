//! Pool of constants of finished draws: they are large, and only their live parts are filled.

use super::proctex;
use crate::emit::pica::constants::DrawConstants;
use crate::pica::fragment::light_tables::LightTable;
use crate::texture_cache::Image;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// Constants that wait, of 10 kB each.
const MOST: usize = 256;

/// The constants of a draw, with the owners of the memory they point to.
#[derive(Debug, Default)]
pub(super) struct Storage {
    pub(super) constants: DrawConstants,
    pub(super) tables: Vec<Arc<LightTable>>,
    pub(super) textures: Vec<Arc<Image>>,
    pub(super) proctex: Option<proctex::Owners>,
    pub(super) fog: Option<Arc<super::fog::FogTable>>,
}

/// Storage for many draws. It comes back from whichever thread was the last to draw.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool(Arc<Mutex<Vec<Box<Storage>>>>);

impl Pool {
    /// Storage in which constants of some earlier draw may be left; it owns nothing.
    pub(super) fn take(&self) -> Pooled {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let storage = waiting.pop().unwrap_or_default();
        Pooled { storage: Some(storage), pool: self.clone() }
    }

    fn put(&self, mut storage: Box<Storage>) {
        let Storage { constants: _, tables, textures, proctex, fog } = &mut *storage;
        tables.clear();
        textures.clear();
        (*proctex, *fog) = (None, None);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push(storage);
        }
    }
}

/// Storage that goes back to its pool.
#[derive(Debug)]
pub(super) struct Pooled {
    /// There until it is dropped.
    storage: Option<Box<Storage>>,
    pool: Pool,
}

impl Pooled {
    /// All of it, to fill it.
    pub(super) fn fill(&mut self) -> &mut Storage {
        self.storage.as_mut().expect("it is there until it is dropped")
    }
}

impl Deref for Pooled {
    type Target = DrawConstants;

    fn deref(&self) -> &DrawConstants {
        &self.storage.as_ref().expect("it is there until it is dropped").constants
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(storage) = self.storage.take() {
            self.pool.put(storage);
        }
    }
}
