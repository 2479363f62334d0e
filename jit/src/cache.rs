//! LRU cache from key to routine, with a byte budget and eviction.
//!
//! An evicted routine stays alive until its last user drops it. Keys are compared in full; the hash only finds the
//! bucket.

pub(crate) mod recent;

use crate::error::CompileError;
use picaflor_pipeline::hashing::Seeds;
use recent::Recent;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// State of a key in the cache.
#[derive(Debug)]
pub(crate) enum Slot<V: ?Sized> {
    /// Compilation in progress.
    Pending,
    /// Compiled.
    Ready(Arc<V>),
    /// Refused by the compiler, with the reason.
    Refused(CompileError),
}

// By hand: `V` need not be `Clone`.
impl<V: ?Sized> Clone for Slot<V> {
    fn clone(&self) -> Self {
        match self {
            Self::Pending => Self::Pending,
            Self::Ready(value) => Self::Ready(Arc::clone(value)),
            Self::Refused(error) => Self::Refused(error.clone()),
        }
    }
}

#[derive(Debug)]
struct Routine<V: ?Sized> {
    /// [`Slot::Ready`].
    slot: Slot<V>,
    /// Bytes counted against the budget.
    bytes: usize,
}

/// Routines and refusals by key, within a budget of bytes and a maximal number of entries. Eviction is least recently
/// used, of routines for the sake of bytes, and of those that are more for the sake of entries; pending entries are never
/// evicted, because a compile job or a caller waits for them. A key is in one of the three: nothing is searched for what
/// may go.
#[derive(Debug)]
pub(crate) struct Cache<K, V: ?Sized> {
    pending: HashSet<K, Seeds>,
    routines: Recent<K, Routine<V>>,
    /// [`Slot::Refused`], without bytes.
    refusals: Recent<K, Slot<V>>,
    /// Bytes of the routines.
    bytes: usize,
    budget: usize,
    max_entries: usize,
    evictions: u64,
}

impl<K: Eq + Hash + Clone, V: ?Sized> Cache<K, V> {
    /// An empty cache of `budget` bytes. `max_entries` bounds refusals, which have no bytes.
    pub(crate) fn new(budget: usize, max_entries: usize) -> Self {
        let (pending, routines, refusals) = (HashSet::default(), Recent::default(), Recent::default());
        Self { pending, routines, refusals, bytes: 0, budget, max_entries, evictions: 0 }
    }

    /// State of `key`; marks the entry as used.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&Slot<V>>
    where
        K: Borrow<Q>,
    {
        if let Some(routine) = self.routines.get_mut(key) {
            return Some(&routine.slot);
        }
        if let Some(refusal) = self.refusals.get_mut(key) {
            return Some(refusal);
        }
        self.pending.contains(key).then_some(&Slot::Pending)
    }

    /// Marks `key` as pending, unless it has an entry already. Returns true if the mark was set: of concurrent
    /// callers exactly one gets `true` and compiles.
    pub(crate) fn begin(&mut self, key: &K) -> bool {
        let is_made = self.routines.peek(key).is_some() || self.refusals.peek(key).is_some();
        !is_made && self.pending.insert(key.clone())
    }

    /// Removes a [`Slot::Pending`] whose compilation was cancelled.
    pub(crate) fn abandon(&mut self, key: &K) {
        self.pending.remove(key);
    }

    /// Inserts a routine of `bytes` bytes and evicts others to stay within the budget. A routine larger than the
    /// whole budget is kept as the only one.
    pub(crate) fn insert(&mut self, key: K, value: Arc<V>, bytes: usize) {
        self.forget(&key);
        self.routines.insert(key, Routine { slot: Slot::Ready(value), bytes });
        self.bytes += bytes;
        self.enforce();
    }

    /// Stores a refusal with its reason.
    pub(crate) fn refuse(&mut self, key: K, reason: CompileError) {
        self.forget(&key);
        self.refusals.insert(key, Slot::Refused(reason));
        self.enforce();
    }

    /// Evicts routines until at least `bytes` bytes are freed or none is left; returns the number of bytes freed.
    /// Used when the code memory is full before the budget is.
    pub(crate) fn evict_bytes(&mut self, bytes: usize) -> usize {
        let before = self.bytes;
        while before - self.bytes < bytes && self.evict_routine() {}
        before - self.bytes
    }

    /// Bytes of the routines held.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Entries of every kind.
    pub(crate) fn len(&self) -> usize {
        self.pending.len() + self.routines.len() + self.refusals.len()
    }

    /// Routines and refusals evicted so far.
    pub(crate) fn evictions(&self) -> u64 {
        self.evictions
    }

    /// Takes out what a key has, before it gets something else.
    fn forget(&mut self, key: &K) {
        self.pending.remove(key);
        self.refusals.remove(key);
        self.bytes -= self.routines.remove(key).map_or(0, |routine| routine.bytes);
    }

    /// Evicts until the rest is within bounds; the newest of each kind stays.
    fn enforce(&mut self) {
        while self.bytes > self.budget && self.routines.len() > 1 && self.evict_routine() {}
        while self.len() > self.max_entries && self.evict_one() {}
    }

    /// Evicts from the larger kind, so that neither crowds the other out.
    fn evict_one(&mut self) -> bool {
        let (routines, refusals) = (self.routines.len(), self.refusals.len());
        if routines.max(refusals) < 2 {
            return false;
        }
        if routines > refusals { self.evict_routine() } else { self.evict_refusal() }
    }

    fn evict_routine(&mut self) -> bool {
        let Some(gone) = self.routines.pop() else { return false };
        self.bytes -= gone.bytes;
        self.evictions += 1;
        true
    }

    fn evict_refusal(&mut self) -> bool {
        let has_one = self.refusals.pop().is_some();
        self.evictions += u64::from(has_one);
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hasher;

    fn ready(cache: &mut Cache<u32, u32>, key: u32) -> Option<u32> {
        match cache.get(&key) {
            Some(Slot::Ready(value)) => Some(**value),
            _ => None,
        }
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = Cache::new(300, 100);
        for key in 0..3 {
            cache.insert(key, Arc::new(key * 10), 100);
        }
        assert_eq!(ready(&mut cache, 0), Some(0));
        cache.insert(3, Arc::new(30), 100);
        assert_eq!(
            (0..4).map(|key| ready(&mut cache, key)).collect::<Vec<_>>(),
            [Some(0), None, Some(20), Some(30)]
        );
        assert_eq!((cache.bytes(), cache.len(), cache.evictions()), (300, 3, 1));
    }

    #[test]
    fn an_evicted_routine_lives_while_it_is_held() {
        let mut cache = Cache::new(100, 100);
        cache.insert(1, Arc::new(11), 100);
        let Some(Slot::Ready(held)) = cache.get(&1).cloned() else { panic!("it was put in") };
        let watched = Arc::downgrade(&held);
        cache.insert(2, Arc::new(22), 100);
        assert_eq!((ready(&mut cache, 1), *held), (None, 11));
        drop(held);
        assert!(watched.upgrade().is_none());
    }

    #[test]
    fn a_giant_is_kept_alone() {
        let mut cache = Cache::new(100, 100);
        cache.insert(1, Arc::new(1), 50);
        cache.insert(2, Arc::new(2), 500);
        assert_eq!((ready(&mut cache, 1), ready(&mut cache, 2), cache.bytes()), (None, Some(2), 500));
        cache.insert(3, Arc::new(3), 50);
        assert_eq!((ready(&mut cache, 2), ready(&mut cache, 3), cache.bytes()), (None, Some(3), 50));
    }

    #[test]
    fn one_caller_begins_and_pending_is_never_evicted() {
        let mut cache = Cache::<u32, u32>::new(100, 2);
        assert_eq!(
            [cache.begin(&1), cache.begin(&1), cache.begin(&2), cache.begin(&3)],
            [true, false, true, true]
        );
        cache.insert(4, Arc::new(4), 1000);
        cache.insert(5, Arc::new(5), 1000);
        assert!((1..4).all(|key| matches!(cache.get(&key), Some(Slot::Pending))));
        cache.insert(1, Arc::new(10), 10);
        assert_eq!(ready(&mut cache, 1), Some(10));
        cache.abandon(&1);
        cache.abandon(&2);
        assert_eq!(ready(&mut cache, 1), Some(10));
        assert!(cache.begin(&2) && !cache.begin(&3));
    }

    #[test]
    fn refusals_are_remembered_within_bounds() {
        let mut cache = Cache::<u32, u32>::new(100, 10);
        for key in 0..100 {
            cache.refuse(key, CompileError::TooManyStates { limit: key as usize });
        }
        assert_eq!((cache.len(), cache.bytes()), (10, 0));
        assert!(matches!(cache.get(&99), Some(Slot::Refused(CompileError::TooManyStates { limit: 99 }))));
        assert!(cache.get(&0).is_none());
    }

    /// Refusals have no bytes, and do not stand in the way of what makes room for bytes; neither kind drives the other out.
    #[test]
    fn refusals_and_routines_leave_each_other_room() {
        let refusal = || CompileError::TooManyStates { limit: 1 };
        let mut cache = Cache::new(300, 10);
        (0..3).for_each(|key| cache.insert(key, Arc::new(key), 100));
        (100..200).for_each(|key| cache.refuse(key, refusal()));
        assert_eq!((cache.len(), cache.bytes()), (10, 300), "no routine went");
        (3..1000).for_each(|key| cache.insert(key + 1000, Arc::new(key), 100));
        assert!((193..200).all(|key| matches!(cache.get(&key), Some(Slot::Refused(_)))), "no refusal went");
        assert_eq!((cache.len(), cache.bytes()), (10, 300));
        (0..100).for_each(|key| cache.insert(key, Arc::new(key), 1));
        assert_eq!((cache.len(), cache.bytes()), (10, 5), "routines and refusals in equal numbers");
        assert_eq!((195..200).filter(|key| cache.get(key).is_some()).count(), 5);
    }

    #[test]
    fn a_key_is_one_thing_at_a_time() {
        let mut cache = Cache::<u32, u32>::new(1000, 100);
        cache.refuse(1, CompileError::TooManyStates { limit: 1 });
        assert!(!cache.begin(&1));
        cache.insert(1, Arc::new(5), 10);
        assert_eq!((ready(&mut cache, 1), cache.len(), cache.bytes()), (Some(5), 1, 10));
        cache.refuse(1, CompileError::TooManyStates { limit: 1 });
        assert!(matches!(cache.get(&1), Some(Slot::Refused(_))) && !cache.begin(&1));
        assert_eq!((cache.len(), cache.bytes(), cache.evictions()), (1, 0, 0));
        assert!(cache.begin(&2) && matches!(cache.get(&2), Some(Slot::Pending)));
        cache.refuse(2, CompileError::TooManyStates { limit: 1 });
        cache.abandon(&2);
        assert!(matches!(cache.get(&2), Some(Slot::Refused(_))) && cache.len() == 2);
    }

    /// Every program of a hostile list is new: what each costs does not grow with those before.
    #[test]
    fn many_keys() {
        let mut cache = Cache::new(1 << 20, 1 << 12);
        for key in 0..50_000_u32 {
            assert!(cache.begin(&key));
            match key % 4 {
                0 => cache.refuse(key, CompileError::TooManyStates { limit: 1 }),
                _ => cache.insert(key, Arc::new(key), 1000),
            }
            assert!(cache.bytes() <= 1 << 20 && cache.len() <= 1 << 12);
        }
        assert!(cache.evictions() > 45_000 && ready(&mut cache, 49_999) == Some(49_999));
    }

    #[test]
    fn replacing_counts_bytes_once_and_eviction_on_demand_gives_them_up() {
        let mut cache = Cache::new(1000, 100);
        cache.insert(1, Arc::new(1), 400);
        cache.insert(1, Arc::new(2), 100);
        cache.insert(2, Arc::new(3), 300);
        assert_eq!((ready(&mut cache, 1), cache.bytes()), (Some(2), 400));
        assert_eq!(cache.evict_bytes(200), 300);
        assert_eq!(cache.evict_bytes(usize::MAX), 100);
        assert_eq!((cache.evict_bytes(1), cache.bytes(), cache.len()), (0, 0, 0));
    }

    #[test]
    fn keys_with_one_hash_are_told_apart() {
        #[derive(PartialEq, Eq, Clone)]
        struct Colliding(u32);
        impl Hash for Colliding {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write_u32(0);
            }
        }
        let mut cache = Cache::new(1 << 20, 1000);
        for key in 0..200 {
            cache.insert(Colliding(key), Arc::new(key), 1);
        }
        for key in 0..200 {
            assert!(matches!(cache.get(&Colliding(key)), Some(Slot::Ready(value)) if **value == key));
        }
    }
}
