//! `Recent`: a map that knows in which order its entries were used, at the same cost for any number of them.

use picaflor_pipeline::hashing::Seeds;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// No slot.
const NONE: u32 = u32::MAX;
/// Slots up to which empty ones are kept.
const FEW: usize = 1024;

/// Values by key. The slots in use form a list, from the one used last to the one that was not used for longest.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    places: HashMap<K, u32, Seeds>,
    slots: Vec<Slot<K, V>>,
    newest: u32,
    oldest: u32,
}

/// An entry, and the slots of those that were used next before and after it.
#[derive(Debug)]
struct Slot<K, V> {
    key: K,
    value: V,
    newer: u32,
    older: u32,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { places: HashMap::default(), slots: Vec::new(), newest: NONE, oldest: NONE }
    }
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    /// Bytes that an entry takes here, beside what its key and its value own: tables are up to twice as large as what they
    /// hold.
    pub(crate) const ENTRY: usize = 2 * (size_of::<Slot<K, V>>() + size_of::<(K, u32)>() + 1);

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The value of a key, which is used now.
    pub(crate) fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = *self.places.get(key)?;
        if self.newest != place {
            self.unlink(place);
            self.link(place);
        }
        Some(&mut self.slots[place as usize].value)
    }

    /// Adds an entry, which is used now; its key must be new.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        let place = self.slots.len() as u32;
        self.slots.push(Slot { key: key.clone(), value, newer: NONE, older: NONE });
        self.places.insert(key, place);
        self.link(place);
    }

    /// Takes out a key's entry.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let place = *self.places.get(key)?;
        Some(self.take(place))
    }

    /// A key's value, without using it.
    pub(crate) fn peek(&self, key: &K) -> Option<&V> {
        self.places.get(key).map(|&place| &self.slots[place as usize].value)
    }

    /// Takes out the entry that was not used for longest.
    pub(crate) fn pop(&mut self) -> Option<V> {
        (self.oldest != NONE).then(|| self.take(self.oldest))
    }

    /// Takes out the entry of a slot; the last slot moves to its place.
    fn take(&mut self, place: u32) -> V {
        self.unlink(place);
        let Slot { key, value, .. } = self.slots.swap_remove(place as usize);
        self.places.remove(&key);
        if let Some(&Slot { ref key, newer, older, .. }) = self.slots.get(place as usize) {
            if let Some(moved) = self.places.get_mut(key) {
                *moved = place;
            }
            *self.older_of(newer) = place;
            *self.newer_of(older) = place;
        }
        self.give_back();
        value
    }

    /// Gives memory back once most of it is empty.
    fn give_back(&mut self) {
        let held = self.slots.len();
        if self.slots.capacity() > FEW && held < self.slots.capacity() / 4 {
            self.slots.shrink_to(2 * held);
            self.places.shrink_to(2 * held);
        }
    }

    /// The link of an entry to the one used before it; that of the list for none.
    fn older_of(&mut self, place: u32) -> &mut u32 {
        match self.slots.get_mut(place as usize) {
            Some(slot) => &mut slot.older,
            None => &mut self.newest,
        }
    }

    /// The link of an entry to the one used after it; that of the list for none.
    fn newer_of(&mut self, place: u32) -> &mut u32 {
        match self.slots.get_mut(place as usize) {
            Some(slot) => &mut slot.newer,
            None => &mut self.oldest,
        }
    }

    fn unlink(&mut self, place: u32) {
        let Slot { newer, older, .. } = self.slots[place as usize];
        *self.older_of(newer) = older;
        *self.newer_of(older) = newer;
    }

    /// Makes an entry that is in no list the newest.
    fn link(&mut self, place: u32) {
        let older = std::mem::replace(&mut self.newest, place);
        *self.newer_of(older) = place;
        let slot = &mut self.slots[place as usize];
        (slot.newer, slot.older) = (NONE, older);
    }

    #[cfg(test)]
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().map(|slot| &slot.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::random;

    /// Against a vector in the order of use.
    #[test]
    fn random_uses() {
        let (mut recent, mut model) = (Recent::default(), Vec::<(u32, u32)>::new());
        let (mut seed, mut most) = (5, 0);
        for n in 0..40_000 {
            let key = random::word(&mut seed) % 3000;
            let at = model.iter().position(|entry| entry.0 == key);
            // It grows, and then shrinks.
            match (random::word(&mut seed) % 8, at) {
                (0 | 1, Some(at)) => assert_eq!(recent.remove(&key), Some(model.remove(at).1)),
                (2..8, Some(at)) => {
                    let entry = model.remove(at);
                    assert_eq!(recent.get_mut(&key), Some(&mut { entry.1 }));
                    model.push(entry);
                }
                (_, None) if n < 20_000 => {
                    assert!(recent.get_mut(&key).is_none() && recent.remove(&key).is_none());
                    recent.insert(key, n);
                    model.push((key, n));
                }
                (_, None) => {
                    let oldest = (!model.is_empty()).then(|| model.remove(0).1);
                    assert_eq!(recent.pop(), oldest);
                }
                _ => {}
            }
            most = most.max(model.len());
            assert_eq!(recent.len(), model.len());
        }
        assert!(most > 1500 && model.len() < 500, "{most}, {}", model.len());
        let rest: Vec<u32> = std::iter::from_fn(|| recent.pop()).collect();
        assert_eq!(rest, model.iter().map(|entry| entry.1).collect::<Vec<_>>());
        assert!(recent.slots.capacity() <= FEW.max(4 * most) && recent.places.is_empty());
    }
}
