//! Rows kept in memory, the least recently used ones given up first.

use std::sync::Mutex;

use rayon::prelude::*;

use super::Gram;
use crate::kernel::add_rows;
use crate::simd::Aligned;

/// No slot.
const NONE: u32 = u32::MAX;

/// A Gram that remembers rows, in at most a number of bytes. Memory is taken row by row as it is used.
pub struct Cached<'a> {
    gram: Box<dyn Gram + 'a>,
    rows: Mutex<Rows>,
}

/// The rows held, in chunks of memory large enough for huge pages: touching fresh memory page by page costs more than
/// computing what goes into it.
struct Rows {
    /// For each point, the slot of its row.
    slot: Vec<u32>,
    slots: Vec<Slot>,
    chunks: Vec<Aligned<f32>>,
    /// Slots of a chunk.
    per_chunk: usize,
    /// Values between the beginnings of two rows: whole cache lines.
    stride: usize,
    /// Most slots by the budget.
    capacity: usize,
    /// Most slots for now: memory costs time before it saves any, so that it is taken up only as rows are asked for
    /// again that are not held.
    limit: usize,
    /// What has been spent on such rows, in fresh rows' worth.
    credit: f64,
    /// For each point, when its row was last asked for; 0 for never.
    last: Vec<u64>,
    clock: u64,
}

/// Bytes that are taken up without asking where rows are costly.
const FIRST: usize = 128 << 20;

/// The same where they are cheap: all rows of a small problem.
const FIRST_CHEAP: usize = 16 << 20;

/// Values that cost less than this, in nanoseconds, are computed when they are needed, and kept once they have been
/// needed often: a cache miss, shared between a few that are under way at the same time.
const CHEAP: f64 = 8.0;

/// What a value's worth of memory that was never used costs, in nanoseconds, on the scale of [`Gram::cost`].
const FRESH: f64 = 24.0;

/// What looking up a value costs on the same scale.
const HELD: f64 = 0.5;

struct Slot {
    /// Whose row it is; [`FREE`] where nobody's.
    point: usize,
    used: u64,
}

/// No point.
const FREE: usize = usize::MAX;

/// Bytes of a chunk, but for rows that are longer.
const CHUNK: usize = 32 << 20;

/// Values of a cache line.
const LINE: usize = 16;

impl<'a> Cached<'a> {
    /// Remembers rows of `gram` in at most `bytes`, and at least `least` rows whatever they take.
    #[must_use]
    pub fn new(gram: Box<dyn Gram + 'a>, bytes: usize, least: usize) -> Self {
        let first = if gram.cost() < CHEAP { FIRST_CHEAP } else { FIRST };
        Self::beginning_with(first, gram, bytes, least)
    }

    /// The same with another number of bytes that are taken up without asking.
    pub(super) fn beginning_with(first: usize, gram: Box<dyn Gram + 'a>, bytes: usize, least: usize) -> Self {
        let n = gram.len();
        let stride = n.max(1).next_multiple_of(LINE);
        let capacity = (bytes / (stride * size_of::<f32>())).clamp(least, n.max(least));
        // Chunks of one size that together are not much more than the capacity.
        let most = (CHUNK / (stride * size_of::<f32>())).max(1);
        let per_chunk = capacity.max(1).div_ceil(capacity.max(1).div_ceil(most));
        let limit = (first / (stride * size_of::<f32>())).clamp(2.min(capacity), capacity);
        let (slot, slots, chunks, last) = (vec![NONE; n], Vec::new(), Vec::new(), vec![0; n]);
        let rows =
            Rows { slot, slots, chunks, per_chunk, stride, capacity, limit, credit: 0.0, last, clock: 0 };
        Self { gram, rows: Mutex::new(rows) }
    }

    /// The Gram that the rows are from.
    #[must_use]
    pub fn gram(&self) -> &dyn Gram {
        &*self.gram
    }

    /// Whether rows are so cheap that most are better computed where they are added up than kept.
    #[must_use]
    pub fn is_cheap(&self) -> bool {
        self.gram.cost() < CHEAP
    }

    /// Makes sure that the rows of these points are held, computing in one block those that are not, then lends
    /// them. At most `least` points.
    pub fn lend(&mut self, points: &[usize]) -> Vec<&[f32]> {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        rows.fetch(&*self.gram, points);
        points.iter().map(|&i| rows.row(rows.slot[i] as usize)).collect()
    }

    /// Of these points, computes and keeps the rows that are worth it: as long as there is room any, then those that
    /// were asked for more recently than what they take the place of.
    pub fn keep(&mut self, points: &[usize]) {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        rows.keep(&*self.gram, points);
    }

    /// `sums[j] += Σ weights[w] · K[points[w]][j]` over the points whose rows are held; the others with their weights.
    pub fn add_held(
        &mut self,
        points: &[usize],
        weights: &[f64],
        sums: &mut [f64],
    ) -> (Vec<usize>, Vec<f64>) {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        let (held, others): (Vec<_>, Vec<_>) =
            points.iter().zip(weights).partition(|&(&i, _)| rows.slot[i] != NONE);
        let (held, weights): (Vec<&[f32]>, Vec<f64>) =
            held.into_iter().map(|(&i, &w)| (rows.row(rows.slot[i] as usize), w)).unzip();
        add_rows(sums, &held, &weights);
        others.into_iter().unzip()
    }

    /// The same memory of rows for the points at `index` (ascending) of the Gram, which becomes `gram`.
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

    /// Bytes of the rows held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = self.rows.lock().expect("no holder of the lock can panic");
        rows.slots.iter().filter(|slot| slot.point != FREE).count() * rows.stride * size_of::<f32>()
    }
}

impl Rows {
    fn row(&self, slot: usize) -> &[f32] {
        let at = slot % self.per_chunk * self.stride;
        &self.chunks[slot / self.per_chunk][at..at + self.slot.len()]
    }

    /// Takes over the rows and the memory of `old`, compacted to the columns `index`. Rows of points that are not in
    /// `index` are dropped; the others move towards the beginning of their chunk, which now has room for more.
    fn take_over(&mut self, old: Rows, index: &[usize]) {
        let mut place = vec![NONE; old.slot.len()];
        index.iter().enumerate().for_each(|(new, &i)| place[i] = new as u32);
        self.clock = old.clock;
        self.credit = old.credit;
        self.last = index.iter().map(|&i| old.last[i]).collect();
        self.chunks = old.chunks;
        // Chunks keep their size; each holds as many of the shorter rows as fit.
        self.per_chunk = (old.per_chunk * old.stride / self.stride).max(1);
        let kept: Vec<Vec<Slot>> = self
            .chunks
            .par_iter_mut()
            .zip(old.slots.par_chunks(old.per_chunk))
            .map(|(chunk, slots)| {
                let (mut kept, mut row) = (Vec::new(), vec![0.0; index.len()]);
                for (from, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.point != FREE) {
                    if place[slot.point] == NONE {
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
            slots.resize_with(self.per_chunk, || Slot { point: FREE, used: 0 });
            self.slots.append(&mut slots);
        }
        self.capacity = self.capacity.max(self.slots.len());
        self.limit = self.limit.clamp(self.slots.len(), self.capacity);
        for (number, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.point != FREE) {
            self.slot[slot.point] = number as u32;
        }
    }

    /// Makes sure that the rows of `points` are held, computing those that are not in one block.
    fn fetch(&mut self, gram: &dyn Gram, points: &[usize]) {
        let missing = self.missing(gram, points);
        self.limit = self.limit.max(points.len()).min(self.capacity);
        self.fill(gram, &missing);
        points.iter().for_each(|&i| self.last[i] = self.clock);
    }

    /// Computes those rows of `points` that are worth keeping.
    fn keep(&mut self, gram: &dyn Gram, points: &[usize]) {
        let mut missing = self.missing(gram, points);
        let free = self.slots.iter().filter(|slot| slot.point == FREE).count();
        let room = free + self.limit.saturating_sub(self.slots.len());
        if room < missing.len() {
            // Beyond the room there is, only what was asked for more recently than the oldest of what is held.
            missing.sort_by_key(|&i| std::cmp::Reverse(self.last[i]));
            let held = self.slots.iter().filter(|slot| slot.point != FREE);
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

    /// Those of `points` that are not held; the others are marked as used. What is asked for again raises the limit.
    fn missing(&mut self, gram: &dyn Gram, points: &[usize]) -> Vec<usize> {
        self.clock += 1;
        let mut missing = Vec::new();
        for &i in points {
            match self.slot[i] {
                NONE => missing.push(i),
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

    /// Computes rows that are not held into slots of their own.
    fn fill(&mut self, gram: &dyn Gram, missing: &[usize]) {
        if missing.is_empty() {
            return;
        }
        let chosen = self.vacate(missing.len());
        for (&number, &i) in chosen.iter().zip(missing) {
            let slot = &mut self.slots[number];
            if slot.point != FREE {
                self.slot[slot.point] = NONE;
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
    }

    /// `count` slots to fill, ascending: free ones, then new ones, then those that were used longest ago, none of
    /// them in this round.
    fn vacate(&mut self, count: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.point == FREE)
            .map(|(i, _)| i)
            .take(count)
            .collect();
        while chosen.len() < count && self.slots.len() < self.limit {
            if self.slots.len().is_multiple_of(self.per_chunk) {
                self.chunks.push(Aligned::huge_zeros(self.per_chunk * self.stride));
            }
            chosen.push(self.slots.len());
            self.slots.push(Slot { point: FREE, used: 0 });
        }
        let missing = count - chosen.len();
        if missing > 0 {
            let held = self
                .slots
                .iter()
                .enumerate()
                .filter(|(_, slot)| slot.point != FREE && slot.used < self.clock);
            let mut held: Vec<(u64, usize)> = held.map(|(number, slot)| (slot.used, number)).collect();
            assert!(held.len() >= missing, "no more rows can be lent at once than the cache holds");
            held.select_nth_unstable(missing - 1);
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

    /// Copies the rows that are held and computes the others, which only [`Cached::lend`] keeps: no lock is held while
    /// rows are computed.
    fn rows(&self, points: &[usize], out: &mut [&mut [f32]]) {
        let (mut missing, mut targets) = (Vec::new(), Vec::new());
        {
            let rows = self.rows.lock().expect("no holder of the lock can panic");
            for (&i, out) in points.iter().zip(out) {
                if rows.slot[i] == NONE {
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

    /// Without the rows that are held.
    fn share(&self) -> Box<dyn Gram + '_> {
        self.gram.share()
    }

    fn computed(&self) -> u64 {
        self.gram.computed()
    }
}
