//! Rows kept in memory; the least recently used ones are replaced first.

use std::sync::Mutex;

use rayon::prelude::*;

use super::Gram;
use crate::kernel::add_rows;
use crate::memory::room;
use crate::simd::Aligned;

/// Marks a point whose row is in no slot.
const NO_SLOT: u32 = u32::MAX;

/// Marks a slot that holds no row.
const VACANT: usize = usize::MAX;

/// A Gram that keeps rows of another in a budget of bytes. Memory is taken row by row as it is used.
pub struct Cached<'a> {
    gram: Box<dyn Gram + 'a>,
    rows: Mutex<HeldRows>,
}

/// The rows that are held. They lie in slots, and slots in chunks of memory large enough for huge pages: taking up fresh
/// memory page by page costs more than computing the values that go into it.
struct HeldRows {
    /// For each point, the slot of its row, or [`NO_SLOT`].
    slot: Vec<u32>,
    slots: Vec<Slot>,
    chunks: Vec<Aligned<f32>>,
    /// The number of slots in a chunk.
    per_chunk: usize,
    /// The number of values from the beginning of one row to that of the next: whole cache lines.
    stride: usize,
    /// The most slots that the budget allows.
    capacity: usize,
    /// The slots that there must be: as many as rows can be lent at once.
    least: usize,
    /// The most slots for now. Fresh memory costs time before it saves any, so that the limit rises only when rows are
    /// asked for again that are not held.
    limit: usize,
    /// The time spent on computing such rows again, in units of the time that a fresh slot costs.
    credit: f64,
    /// For each point, the value of `clock` when its row was last asked for; 0 for never.
    last: Vec<u64>,
    /// Requests so far.
    clock: u64,
}

/// Initial limit in bytes where rows are costly to compute again.
const FIRST: usize = 128 << 20;

/// Initial limit in bytes where rows are cheap to compute again: holds all rows of a small problem.
const FIRST_CHEAP: usize = 16 << 20;

/// Cost in nanoseconds below which a value is cheap. Rows of cheap values are computed where they are added up, and kept
/// only if they are needed often. It is the time of a cache miss, of which a few are under way at once.
const CHEAP: f64 = 8.0;

/// The time that fresh memory for one value costs, in nanoseconds, on the scale of [`Gram::cost`].
const FRESH: f64 = 24.0;

/// The time that reading a held value costs, in nanoseconds, on the scale of [`Gram::cost`].
const HELD: f64 = 0.5;

/// A place for a row.
struct Slot {
    /// The point whose row the slot holds, or [`VACANT`].
    point: usize,
    /// The value of `clock` when the row was last used.
    used: u64,
}

impl Slot {
    fn is_vacant(&self) -> bool {
        self.point == VACANT
    }
}

/// Bytes of a chunk; one of longer rows has the size of a row.
const CHUNK: usize = 32 << 20;

/// Number of values in a cache line.
const LINE: usize = 16;

impl<'a> Cached<'a> {
    /// Keeps rows of `gram` in at most `bytes`, but has memory for at least `least` rows.
    #[must_use]
    pub fn new(gram: Box<dyn Gram + 'a>, bytes: usize, least: usize) -> Self {
        let first = if gram.cost() < CHEAP { FIRST_CHEAP } else { FIRST };
        Self::beginning_with(first, gram, bytes, least)
    }

    /// A cache whose initial limit is `first` bytes; see [`Cached::new`].
    pub(super) fn beginning_with(first: usize, gram: Box<dyn Gram + 'a>, bytes: usize, least: usize) -> Self {
        let n = gram.len();
        let stride = n.max(1).next_multiple_of(LINE);
        let capacity = (bytes / (stride * size_of::<f32>())).clamp(least, n.max(least));
        // Chunks of equal size which together are not much larger than the capacity.
        let most = (CHUNK / (stride * size_of::<f32>())).max(1);
        let per_chunk = capacity.max(1).div_ceil(capacity.max(1).div_ceil(most));
        let limit = (first / (stride * size_of::<f32>())).clamp(2.min(capacity), capacity);
        let (slot, slots, chunks, last) = (vec![NO_SLOT; n], Vec::new(), Vec::new(), vec![0; n]);
        let rows = HeldRows {
            slot,
            slots,
            chunks,
            per_chunk,
            stride,
            capacity,
            least,
            limit,
            credit: 0.0,
            last,
            clock: 0,
        };
        Self { gram, rows: Mutex::new(rows) }
    }

    /// The Gram that the rows are from.
    #[must_use]
    pub fn gram(&self) -> &dyn Gram {
        &*self.gram
    }

    /// Whether rows are so cheap to compute that most of them are better computed again where they are added up than kept.
    #[must_use]
    pub fn is_cheap(&self) -> bool {
        self.gram.cost() < CHEAP
    }

    /// Computes in one block the rows of these points that are not held, and lends the rows of all of them. At most `least`
    /// points can be asked for at once.
    pub fn lend(&mut self, points: &[usize]) -> Vec<&[f32]> {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        rows.fetch(&*self.gram, points);
        points.iter().map(|&i| rows.row(rows.slot[i] as usize)).collect()
    }

    /// Computes and keeps rows of these points: any as long as there is room, then only rows that were asked for more
    /// recently than the rows that they replace.
    pub fn keep(&mut self, points: &[usize]) {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        rows.keep(&*self.gram, points);
    }

    /// `sums[j] += Σ weights[w] · K[points[w]][j]` over the points whose rows are held. Returns the other points and their
    /// weights.
    pub fn add_held(
        &mut self,
        points: &[usize],
        weights: &[f64],
        sums: &mut [f64],
    ) -> (Vec<usize>, Vec<f64>) {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        let (held, others): (Vec<_>, Vec<_>) =
            points.iter().zip(weights).partition(|&(&i, _)| rows.slot[i] != NO_SLOT);
        let (held, weights): (Vec<&[f32]>, Vec<f64>) =
            held.into_iter().map(|(&i, &w)| (rows.row(rows.slot[i] as usize), w)).unzip();
        add_rows(sums, &held, &weights);
        others.into_iter().unzip()
    }

    /// Restricts the cache to the points at `index`, ascending: `gram` is their Gram, and the rows that are held keep the
    /// columns `index`.
    #[must_use]
    pub fn restricted<'b>(
        self,
        gram: Box<dyn Gram + 'b>,
        index: &[usize],
        bytes: usize,
        least: usize,
    ) -> Cached<'b> {
        debug_assert!(index.is_sorted_by(|a, b| a < b));
        let old = self.rows.into_inner().expect("no holder of the lock can panic");
        let mut cached = Cached::new(gram, bytes, least);
        let rows = cached.rows.get_mut().expect("a new lock");
        rows.take_over(old, index);
        cached
    }

    /// The number of bytes of the rows that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = self.rows.lock().expect("no holder of the lock can panic");
        rows.slots.iter().filter(|slot| !slot.is_vacant()).count() * rows.stride * size_of::<f32>()
    }
}

impl HeldRows {
    fn row(&self, slot: usize) -> &[f32] {
        let at = slot % self.per_chunk * self.stride;
        &self.chunks[slot / self.per_chunk][at..at + self.slot.len()]
    }

    /// Takes over the rows and the memory of `old`, compacted to the columns `index`. Rows of points that are not in
    /// `index` are dropped; the others move towards the beginning of their chunk, which then has room for more rows.
    fn take_over(&mut self, old: HeldRows, index: &[usize]) {
        let mut place = vec![NO_SLOT; old.slot.len()];
        index.iter().enumerate().for_each(|(new, &i)| place[i] = new as u32);
        self.clock = old.clock;
        self.credit = old.credit;
        self.last = index.iter().map(|&i| old.last[i]).collect();
        self.chunks = old.chunks;
        // Chunks keep their size; each holds as many of the shorter rows as fit into it.
        self.per_chunk = (old.per_chunk * old.stride / self.stride).max(1);
        let kept: Vec<Vec<Slot>> = self
            .chunks
            .par_iter_mut()
            .zip(old.slots.par_chunks(old.per_chunk))
            .map(|(chunk, slots)| {
                let (mut kept, mut row) = (Vec::new(), vec![0.0; index.len()]);
                for (from, slot) in slots.iter().enumerate().filter(|(_, slot)| !slot.is_vacant()) {
                    if place[slot.point] == NO_SLOT {
                        continue;
                    }
                    let source = &chunk[from * old.stride..(from + 1) * old.stride];
                    row.iter_mut().zip(index).for_each(|(new, &i)| *new = source[i]);
                    let to = kept.len() * self.stride;
                    chunk[to..to + row.len()].copy_from_slice(&row);
                    kept.push(Slot { point: place[slot.point] as usize, used: slot.used });
                }
                kept
            })
            .collect();
        for mut slots in kept {
            slots.resize_with(self.per_chunk, || Slot { point: VACANT, used: 0 });
            self.slots.append(&mut slots);
        }
        self.capacity = self.capacity.max(self.slots.len());
        self.limit = self.limit.clamp(self.slots.len(), self.capacity);
        for (number, slot) in self.slots.iter().enumerate().filter(|(_, slot)| !slot.is_vacant()) {
            self.slot[slot.point] = number as u32;
        }
    }

    /// Computes in one block the rows of `points` that are not held.
    fn fetch(&mut self, gram: &dyn Gram, points: &[usize]) {
        let missing = self.missing(gram, points);
        self.limit = self.limit.max(points.len()).min(self.capacity);
        let filled = self.fill(gram, &missing);
        assert!(filled == missing.len(), "no more rows can be lent at once than the cache holds");
        points.iter().for_each(|&i| self.last[i] = self.clock);
    }

    /// Computes those rows of `points` that are worth keeping; see [`Cached::keep`].
    fn keep(&mut self, gram: &dyn Gram, points: &[usize]) {
        let mut missing = self.missing(gram, points);
        let free = self.slots.iter().filter(|slot| slot.is_vacant()).count();
        let room = free + self.limit.saturating_sub(self.slots.len());
        if room < missing.len() {
            // Beyond the free room, only rows that were asked for more recently than the oldest of the held rows.
            missing.sort_by_key(|&i| std::cmp::Reverse(self.last[i]));
            let held = self.slots.iter().filter(|slot| !slot.is_vacant());
            let mut held: Vec<u64> = held.map(|slot| slot.used).collect();
            held.sort_unstable();
            let worth =
                missing[room..].iter().zip(held).take_while(|&(&i, used)| self.last[i] > used).count();
            missing.truncate(room + worth);
            missing.sort_unstable();
        }
        self.fill(gram, &missing);
        points.iter().for_each(|&i| self.last[i] = self.clock);
    }

    /// The points among `points` whose rows are not held; the held rows are marked as used. Rows that are asked for again
    /// and are not held raise the limit.
    fn missing(&mut self, gram: &dyn Gram, points: &[usize]) -> Vec<usize> {
        self.clock += 1;
        let mut missing = Vec::new();
        for &i in points {
            match self.slot[i] {
                NO_SLOT => missing.push(i),
                slot => self.slots[slot as usize].used = self.clock,
            }
        }
        let again = missing.iter().filter(|&&i| self.last[i] > 0).count();
        self.credit += again as f64 * (gram.cost() - HELD).max(0.0) / FRESH;
        let room = (self.capacity - self.limit) as f64;
        let more = self.credit.min(room).floor();
        self.credit -= more;
        self.limit += more as usize;
        missing
    }

    /// Computes the rows of the points `missing`, which are not held, into slots of their own: of the first ones, where there are
    /// fewer slots. Returns how many.
    fn fill(&mut self, gram: &dyn Gram, missing: &[usize]) -> usize {
        if missing.is_empty() {
            return 0;
        }
        let chosen = self.vacate(missing.len());
        let missing = &missing[..chosen.len()];
        for (&number, &i) in chosen.iter().zip(missing) {
            let slot = &mut self.slots[number];
            if !slot.is_vacant() {
                self.slot[slot.point] = NO_SLOT;
            }
            *slot = Slot { point: i, used: self.clock };
            self.slot[i] = number as u32;
        }
        let n = self.slot.len();
        let mut wanted = chosen.iter().copied().peekable();
        let mut targets: Vec<&mut [f32]> = Vec::with_capacity(chosen.len());
        for (number, row) in self
            .chunks
            .iter_mut()
            .flat_map(|chunk| chunk.chunks_exact_mut(self.stride).take(self.per_chunk))
            .enumerate()
        {
            if wanted.next_if_eq(&number).is_some() {
                targets.push(&mut row[..n]);
            }
        }
        gram.rows(missing, &mut targets);
        missing.len()
    }

    /// At most `count` slots to fill, ascending: vacant ones, then new ones, then those of the least recently used rows, none of
    /// which belongs to this request.
    fn vacate(&mut self, count: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.is_vacant())
            .map(|(i, _)| i)
            .take(count)
            .collect();
        while chosen.len() < count && self.slots.len() < self.limit {
            if self.slots.len().is_multiple_of(self.per_chunk) {
                // Where no more memory is to be had, rows take the place of others.
                let bytes = self.per_chunk * self.stride * size_of::<f32>();
                if self.slots.len() >= self.least && room("rows", bytes as u64, None, "").is_err() {
                    (self.limit, self.capacity) = (self.slots.len(), self.slots.len());
                    break;
                }
                self.chunks.push(Aligned::huge_zeros(self.per_chunk * self.stride));
            }
            chosen.push(self.slots.len());
            self.slots.push(Slot { point: VACANT, used: 0 });
        }
        let missing = count - chosen.len();
        if missing > 0 {
            let held =
                self.slots.iter().enumerate().filter(|(_, slot)| !slot.is_vacant() && slot.used < self.clock);
            let mut held: Vec<(u64, usize)> = held.map(|(number, slot)| (slot.used, number)).collect();
            let missing = missing.min(held.len());
            if missing > 0 {
                held.select_nth_unstable(missing - 1);
            }
            chosen.extend(held[..missing].iter().map(|&(_, number)| number));
        }
        chosen.sort_unstable();
        chosen
    }
}

impl Gram for Cached<'_> {
    fn len(&self) -> usize {
        self.gram.len()
    }

    fn diagonal(&self) -> &[f64] {
        self.gram.diagonal()
    }

    /// Copies the rows that are held and computes the others without keeping them, so that no lock is held while rows are
    /// computed.
    fn rows(&self, points: &[usize], out: &mut [&mut [f32]]) {
        let (mut missing, mut targets) = (Vec::new(), Vec::new());
        {
            let rows = self.rows.lock().expect("no holder of the lock can panic");
            for (&i, out) in points.iter().zip(out) {
                if rows.slot[i] == NO_SLOT {
                    missing.push(i);
                    targets.push(&mut **out);
                } else {
                    out.copy_from_slice(rows.row(rows.slot[i] as usize));
                }
            }
        }
        self.gram.rows(&missing, &mut targets);
    }

    fn rows_f64(&self, points: &[usize], out: &mut [&mut [f64]]) {
        self.gram.rows_f64(points, out);
    }

    fn cost(&self) -> f64 {
        self.gram.cost()
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        self.gram.restrict(index)
    }

    /// A share of the Gram behind the cache, without the rows that are held.
    fn share(&self) -> Box<dyn Gram + '_> {
        self.gram.share()
    }

    fn computed(&self) -> u64 {
        self.gram.computed()
    }
}
