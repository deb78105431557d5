//! A cache of rendered bodies.

use std::collections::HashMap;
use std::hash::Hash;

/// The version of a cached body. Equal versions of one key have equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The sequence of the market.
    pub seq: u64,
    /// The slot of the market.
    pub slot: u64,
    /// The code of the feed state.
    pub state: u8,
    /// A number that identifies the epoch.
    pub epoch: u64,
    /// A number that identifies other inputs of the body; 0 for most bodies.
    pub revision: u64,
}

/// The capacity of a cache.
#[derive(Clone, Copy, Debug)]
pub struct CacheLimits {
    /// Maximum number of bodies: room for several bodies of each market at every usual depth.
    pub bodies_max: usize,
    /// Maximum bytes of all texts. A larger body is cached alone.
    pub bytes_max: usize,
}

/// Limits for a service: 50 markets times 20 sets of parameters, and some full /l3 bodies.
pub const CACHE_LIMITS: CacheLimits = CacheLimits { bodies_max: 1_024, bytes_max: 64 << 20 };

#[derive(Debug)]
struct Entry {
    version: Version,
    used_at: u64,
    body: Vec<u8>,
}

/// Bodies by key, each with its version; the least recently used body is evicted first.
///
/// An outdated body is overwritten in place, so steady traffic allocates nothing.
#[derive(Debug)]
pub struct BodyCache<K> {
    entries: HashMap<K, Entry>,
    limits: CacheLimits,
    bytes: usize,
    uses: u64,
    hits: u64,
}

impl<K: Copy + Eq + Hash> BodyCache<K> {
    /// Creates an empty cache.
    #[must_use]
    pub fn new(limits: CacheLimits) -> Self {
        Self { entries: HashMap::new(), limits, bytes: 0, uses: 0, hits: 0 }
    }

    /// Returns the body of `key` at `version`; on a miss `render` fills an empty buffer.
    pub fn body(&mut self, key: K, version: Version, render: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        self.uses += 1;
        let is_cached = self.entries.get(&key).is_some_and(|entry| entry.version == version);
        if is_cached {
            self.hits += 1;
        } else {
            self.replace(key, version, render);
        }
        let entry =
            self.entries.get_mut(&key).expect("Invariant: the entry was cached or replaced");
        entry.used_at = self.uses;
        &entry.body
    }

    /// The number of cached bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The total bytes of cached text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Requests and cache hits so far.
    #[must_use]
    pub fn uses_and_hits(&self) -> (u64, u64) {
        (self.uses, self.hits)
    }

    fn replace(&mut self, key: K, version: Version, render: impl FnOnce(&mut Vec<u8>)) {
        let mut body = self.release(&key).unwrap_or_default();
        while self.entries.len() >= self.limits.bodies_max && self.drop_oldest() {}
        body.clear();
        render(&mut body);
        self.bytes += body.capacity();
        while self.bytes > self.limits.bytes_max && self.drop_oldest() {}
        self.entries.insert(key, Entry { version, used_at: self.uses, body });
    }

    /// Scans every entry: the count is bounded, and a large enough cache never evicts.
    fn drop_oldest(&mut self) -> bool {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used_at);
        let Some(key) = oldest.map(|(key, _)| *key) else { return false };
        self.release(&key).is_some()
    }

    fn release(&mut self, key: &K) -> Option<Vec<u8>> {
        let body = self.entries.remove(key)?.body;
        debug_assert!(self.bytes >= body.capacity(), "Invariant: bytes counts each body");
        self.bytes -= body.capacity();
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CacheLimits = CacheLimits { bodies_max: 2, bytes_max: 100 };

    fn version(seq: u64) -> Version {
        Version { seq, slot: 0, state: 0, epoch: 0, revision: 0 }
    }

    /// Requests a body of `bytes` bytes and returns whether it was rendered.
    fn ask(cache: &mut BodyCache<u8>, key: u8, seq: u64, bytes: usize) -> bool {
        let mut rendered = false;
        let body = cache.body(key, version(seq), |out| {
            assert!(out.is_empty());
            out.resize(bytes, key);
            rendered = true;
        });
        assert_eq!(body.len(), bytes);
        rendered
    }

    #[test]
    fn a_body_is_rendered_once_a_version() {
        let mut cache = BodyCache::new(LIMITS);
        assert!(ask(&mut cache, 1, 1, 10));
        assert!(!ask(&mut cache, 1, 1, 10));
        assert!(ask(&mut cache, 1, 2, 10));
        assert_eq!(cache.uses_and_hits(), (3, 1));
        assert_eq!(cache.len(), 1);
    }

    #[test]
    fn each_part_of_the_version_counts() {
        let base = version(1);
        let others = [
            Version { slot: 1, ..base },
            Version { state: 1, ..base },
            Version { epoch: 1, ..base },
            Version { revision: 1, ..base },
            Version { seq: 2, ..base },
        ];
        for other in others {
            let mut cache = BodyCache::new(LIMITS);
            cache.body(1, base, |out| out.push(1));
            assert_eq!(cache.body(1, other, |out| out.push(2)), [2]);
        }
    }

    #[test]
    fn the_least_recently_used_body_goes_first() {
        let mut cache = BodyCache::new(LIMITS);
        ask(&mut cache, 1, 1, 10);
        ask(&mut cache, 2, 1, 10);
        ask(&mut cache, 1, 1, 10);
        ask(&mut cache, 3, 1, 10);
        assert_eq!(cache.len(), 2);
        assert!(!ask(&mut cache, 1, 1, 10));
        assert!(ask(&mut cache, 2, 1, 10));
    }

    #[test]
    fn bytes_are_bounded_but_one_large_body_is_answered() {
        let mut cache = BodyCache::new(LIMITS);
        ask(&mut cache, 1, 1, 60);
        ask(&mut cache, 2, 1, 60);
        assert_eq!(cache.len(), 1);
        ask(&mut cache, 3, 1, 500);
        assert_eq!(cache.len(), 1);
        ask(&mut cache, 4, 1, 10);
        assert!(cache.bytes() <= LIMITS.bytes_max);
    }
}
