//! The hash: what earlier searches found out about a position, shared by all threads.
//!
//! ```text
//! cluster, 32 bytes:  entry  entry  entry  entry
//! entry:  63 59  58  57 56 55    48 47       32 31    16 15     0
//!          age   pv  bound  depth  16 bits of    score    move
//!                                   the key
//! ```
//!
//! Safe Rust without locks: an entry is one word, which no other thread can tear. Two positions with the
//! same bits are taken for one; that is harmless because moves are proven before they are played.

use std::sync::atomic::{AtomicU64, Ordering};

use log::debug;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use thiserror::Error;
use zerocopy::FromZeros;

use crate::board::PackedMove;
use crate::score::Score;
use crate::window::Window;

const WAYS: usize = 4;
const MIB: u64 = 1 << 20;
const AGES: u8 = 1 << 5;
/// Depths are stored with this offset, so that quiescence fits.
const DEPTH_OFFSET: i32 = 4;
const AGE_SHIFT: u32 = 59;
/// Clusters looked at to tell how full the table is: some thousand entries.
const SAMPLE: usize = 250;
/// Bytes of a huge page on x86-64, and on 64-bit ARM with ordinary small ones.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;
/// Starting a thread takes as long as clearing this much.
const WORDS_PER_THREAD: usize = 1 << 18;

/// What a stored score says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at most this.
    Upper = 1,
    /// It is at least this.
    Lower = 2,
    /// It is this.
    Exact = 3,
}

impl Bound {
    /// Whether a score of which this is known answers what `window` asks.
    pub fn settles(self, score: Score, window: Window) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        }
    }
}

/// What the hash knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Best move found, unproven.
    pub packed: PackedMove,
    /// Score, as of [`Score::to_hash`].
    pub score: i16,
    /// Depth of the search that found the score.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// The node was once on a principal variation.
    pub was_pv: bool,
}

impl Entry {
    /// The score at a node `ply` plies from the root; see [`Score::from_hash`].
    pub fn score_at(&self, ply: usize, halfmoves: u32) -> Score {
        Score::from_hash(self.score, ply, halfmoves)
    }

    fn pack(self, key: u64, age: u8) -> u64 {
        let depth = (self.depth + DEPTH_OFFSET).clamp(0, 255) as u8;
        let flags = self.bound as u8 | u8::from(self.was_pv) << 2 | age << 3;
        u64::from(self.packed.bits())
            | u64::from(self.score as u16) << 16
            | u64::from(key as u16) << 32
            | u64::from(depth) << 48
            | u64::from(flags) << 56
    }

    fn unpack(word: u64) -> Option<Entry> {
        let flags = (word >> 56) as u8;
        let bound = match flags & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            packed: PackedMove::from_bits(word as u16),
            score: (word >> 16) as u16 as i16,
            depth: i32::from((word >> 48) as u8) - DEPTH_OFFSET,
            bound,
            was_pv: flags & 4 != 0,
        })
    }
}

/// Entries of positions that share a place.
type Cluster = [AtomicU64; WAYS];

/// The table. Sizes are in MiB.
pub struct Table {
    /// The memory, from an ordinary allocation, because only that is zeroed by the system page by page
    /// as it is used.
    words: Vec<AtomicU64>,
    /// Words before the first cluster, so that none lies across two cache lines.
    skip: usize,
    age: u8,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    /// The system has only promised the memory.
    Promised,
    /// The memory is there, and nothing was stored yet.
    Blank,
    Used,
}

/// Why a table of a size cannot be had.
#[derive(Debug, Error)]
#[error("{wanted} MiB of hash cannot be had, {available} MiB of memory are available")]
pub struct OutOfMemory {
    wanted: u64,
    available: u64,
}

impl Table {
    /// An empty table of `mib` MiB. The memory is touched only as it is used.
    ///
    /// # Errors
    /// When the system has not that much memory to give.
    pub fn new(mib: u64) -> Result<Table, OutOfMemory> {
        let available = available_memory() / MIB;
        let error = OutOfMemory {
            wanted: mib,
            available,
        };
        if mib > available {
            return Err(error);
        }
        let Ok(bytes) = usize::try_from(mib.saturating_mul(MIB)) else {
            return Err(error);
        };
        let per_cluster = size_of::<Cluster>() / size_of::<AtomicU64>();
        let count = bytes / size_of::<AtomicU64>();
        let mut words = AtomicU64::new_vec_zeroed(count + per_cluster - 1).map_err(|_| error)?;
        ask_for_huge_pages(&mut words);
        let skip = words.as_ptr().align_offset(size_of::<Cluster>());
        debug!("hash of {mib} MiB");
        Ok(Table {
            words,
            skip,
            age: 0,
            state: State::Promised,
        })
    }

    /// The size in MiB.
    pub fn mib(&self) -> u64 {
        (size_of_val(self.clusters()) as u64) / MIB
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if self.state == State::Used {
            self.zero();
        }
    }

    /// Takes the memory of a new table from the system, so that no search has to wait for it.
    pub fn touch(&mut self) {
        if self.state == State::Promised {
            self.zero();
        }
    }

    /// Writes every word, with as many threads as there are cores if there are many.
    fn zero(&mut self) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let part = self.words.len().div_ceil(threads).max(WORDS_PER_THREAD);
        if part >= self.words.len() {
            self.words.zero();
        } else {
            std::thread::scope(|scope| {
                for words in self.words.chunks_mut(part) {
                    scope.spawn(|| words.zero());
                }
            });
        }
        self.age = 0;
        self.state = State::Blank;
    }

    /// A new search begins: what is stored so far becomes older. To be called before every search.
    pub fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
        self.state = State::Used;
    }

    fn clusters(&self) -> &[Cluster] {
        self.words[self.skip..].as_chunks().0
    }

    fn cluster(&self, key: u64) -> &Cluster {
        let clusters = self.clusters();
        let index = (u128::from(key) * clusters.len() as u128) >> 64;
        &clusters[index as usize]
    }

    /// Asks the processor to fetch the cluster of `key`, which will be needed shortly.
    #[allow(unsafe_code)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let cluster: *const Cluster = self.cluster(key);
            // SAFETY: prefetching has no effect on memory, and SSE is part of every x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(cluster.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of the position with this key.
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let words = self.cluster(key).iter();
        words
            .map(|word| word.load(Ordering::Relaxed))
            .find(|&word| is_of(word, key))
            .and_then(Entry::unpack)
    }

    /// Remembers `entry`. An entry of the same position gives way unless it is deeper and from this
    /// search; otherwise the shallowest and oldest of the cluster does.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let words: [u64; WAYS] = std::array::from_fn(|way| cluster[way].load(Ordering::Relaxed));
        let same = (0..WAYS).find(|&way| is_of(words[way], key));
        if let Some(old) = same.and_then(|way| Entry::unpack(words[way])) {
            if entry.packed == PackedMove::NONE {
                entry.packed = old.packed;
            }
            let age = (words[same.unwrap_or(0)] >> AGE_SHIFT) as u8;
            let worth = entry.depth + 4 + 2 * i32::from(entry.was_pv);
            if entry.bound != Bound::Exact && age == self.age && worth <= old.depth {
                return;
            }
        }
        let way = same.unwrap_or_else(|| self.least_valuable(&words));
        cluster[way].store(entry.pack(key, self.age), Ordering::Relaxed);
    }

    fn least_valuable(&self, words: &[u64; WAYS]) -> usize {
        let value = |word: u64| {
            let depth = i32::from((word >> 48) as u8);
            let age = (word >> AGE_SHIFT) as u8;
            let years = i32::from((AGES + self.age - age) % AGES);
            if word == 0 {
                i32::MIN
            } else {
                depth - 4 * years
            }
        };
        (0..WAYS).min_by_key(|&way| value(words[way])).unwrap_or(0)
    }

    /// How full the table is with entries of this search, in thousandths, by a sample.
    pub fn full(&self) -> usize {
        let clusters = self.clusters();
        let sample = &clusters[..clusters.len().min(SAMPLE)];
        let used: usize = sample
            .iter()
            .flatten()
            .map(|entry| entry.load(Ordering::Relaxed))
            .filter(|&word| word != 0 && (word >> AGE_SHIFT) as u8 == self.age)
            .count();
        used * 1000 / (sample.len() * WAYS)
    }
}

/// Whether a word is an entry of the position with this key.
fn is_of(word: u64, key: u64) -> bool {
    word != 0 && (word >> 32) as u16 == key as u16
}

/// Asks the system to lay out the memory in pages of 2 MiB, as far as it holds whole ones: the processor
/// then seldom has to look up where a page lies. They are still touched only as they are used.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_huge_pages(words: &mut [AtomicU64]) {
    use rustix::mm::{Advice, madvise};

    let skip = words.as_ptr().align_offset(HUGE_PAGE);
    let aligned = words.get_mut(skip..).unwrap_or_default();
    let length = size_of_val(aligned) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: these bytes are ours, and the advice changes nothing about what they hold.
    let answer = unsafe { madvise(aligned.as_mut_ptr().cast(), length, Advice::LinuxHugepage) };
    if let Err(error) = answer {
        debug!("no huge pages: {error}");
    }
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_words: &mut [AtomicU64]) {}

/// Bytes that the system, or the container we run in, still has to give.
fn available_memory() -> u64 {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(refresh);
    let container = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.free_memory);
    system.available_memory().min(container)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(score: i16, depth: i32) -> Entry {
        Entry {
            packed: PackedMove::from_bits(0x0123),
            score,
            depth,
            bound: Bound::Lower,
            was_pv: true,
        }
    }

    #[test]
    fn what_was_stored_is_found_again() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.probe(0x1234_5678_9abc_def0), None);
        table.store(0x1234_5678_9abc_def0, entry(-31_990, 17));
        assert_eq!(table.probe(0x1234_5678_9abc_def0), Some(entry(-31_990, 17)));
        table.store(0x1134_5678_9abc_def1, entry(3, -1));
        assert_eq!(table.probe(0x1134_5678_9abc_def1), Some(entry(3, -1)));
    }

    #[test]
    fn a_deep_entry_survives_a_shallow_one_until_it_is_old() {
        let mut table = Table::new(1).unwrap();
        let key = 77;
        table.store(key, entry(1, 20));
        table.store(key, entry(2, 3));
        assert_eq!(table.probe(key).unwrap().score, 1);
        table.grow_older();
        table.store(key, entry(2, 3));
        assert_eq!(table.probe(key).unwrap().score, 2);
    }

    #[test]
    fn touching_forgets_nothing() {
        let mut table = Table::new(1).unwrap();
        table.grow_older();
        table.store(77, entry(1, 20));
        table.touch();
        assert!(table.probe(77).is_some());
    }

    #[test]
    fn a_cleared_table_is_empty() {
        let mut table = Table::new(1).unwrap();
        table.grow_older();
        for i in 0..4000u64 {
            table.store(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1, 5));
        }
        assert!(table.full() > 0);
        table.clear();
        assert_eq!(table.full(), 0);
        assert_eq!(table.probe(0x9e37_79b9_7f4a_7c15), None);
    }

    /// There is nothing to be seen on a system that has none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_table_lies_in_huge_pages_where_the_system_has_them() {
        let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        if !setting.is_ok_and(|setting| !setting.contains("[never]")) {
            return;
        }
        let mut table = Table::new(64).unwrap();
        table.touch();
        let own = table.words.as_ptr().addr() + 4 * HUGE_PAGE;
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_ours = false;
        let mut flags = None;
        for line in maps.lines() {
            let range = line
                .split(' ')
                .next()
                .and_then(|range| range.split_once('-'));
            let bounds = range.map(|(from, to)| [from, to].map(|n| usize::from_str_radix(n, 16)));
            if let Some([Ok(from), Ok(to)]) = bounds {
                is_ours = (from..to).contains(&own);
            } else if is_ours && line.starts_with("VmFlags:") {
                flags = Some(line.to_string());
            }
        }
        let flags = flags.expect("the memory is mapped");
        assert!(flags.split(' ').any(|flag| flag == "hg"), "{flags}");
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        let error = Table::new(1 << 25).err().unwrap();
        assert!(error.to_string().contains("33554432 MiB"), "{error}");
    }
}
