//! Rows kept in memory, the least recently used ones given up first.

use std::sync::Mutex;

use super::Gram;
use crate::simd::Aligned;

/// No slot.
const NONE: u32 = u32::MAX;

/// A Gram that remembers rows, in at most a number of bytes. Memory is taken row by row as it is used.
pub struct Cached<'a> {
    gram: Box<dyn Gram + 'a>,
    rows: Mutex<Rows>,
}

/// The rows held.
struct Rows {
    /// For each point, the slot of its row.
    slot: Vec<u32>,
    slots: Vec<Slot>,
    capacity: usize,
    clock: u64,
}

struct Slot {
    point: usize,
    used: u64,
    row: Aligned<f32>,
}

impl<'a> Cached<'a> {
    /// Remembers rows of `gram` in at most `bytes`, and at least `least` rows whatever they take.
    #[must_use]
    pub fn new(gram: Box<dyn Gram + 'a>, bytes: usize, least: usize) -> Self {
        let n = gram.len();
        let capacity = (bytes / (n.max(1) * size_of::<f32>())).clamp(least, n.max(least));
        let rows = Rows { slot: vec![NONE; n], slots: Vec::new(), capacity, clock: 0 };
        Self { gram, rows: Mutex::new(rows) }
    }

    /// Makes sure that the rows of these points are held, computing in one block those that are not, then lends
    /// them. At most `least` points.
    pub fn lend(&mut self, points: &[usize]) -> Vec<&[f32]> {
        let rows = self.rows.get_mut().expect("no holder of the lock can panic");
        rows.fetch(&*self.gram, points);
        points.iter().map(|&i| &rows.slots[rows.slot[i] as usize].row[..]).collect()
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
        let mut place = vec![NONE; old.slot.len()];
        index.iter().enumerate().for_each(|(new, &i)| place[i] = new as u32);
        let kept = old.slots.into_iter().filter(|slot| place[slot.point] != NONE).take(rows.capacity);
        rows.slots = kept.collect();
        rows.clock = old.clock;
        for (number, slot) in rows.slots.iter_mut().enumerate() {
            (0..index.len()).for_each(|new| slot.row[new] = slot.row[index[new]]);
            slot.row.truncate(index.len());
            slot.point = place[slot.point] as usize;
            rows.slot[slot.point] = number as u32;
        }
        cached
    }

    /// Bytes held in rows.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = self.rows.lock().expect("no holder of the lock can panic");
        rows.slots.iter().map(|slot| slot.row.len() * size_of::<f32>()).sum()
    }
}

impl Rows {
    fn fetch(&mut self, gram: &dyn Gram, points: &[usize]) {
        self.clock += 1;
        let mut missing = Vec::new();
        for &i in points {
            match self.slot[i] {
                NONE => missing.push(i),
                slot => self.slots[slot as usize].used = self.clock,
            }
        }
        if missing.is_empty() {
            return;
        }
        let fresh = self.capacity.saturating_sub(self.slots.len()).min(missing.len());
        for _ in 0..fresh {
            self.slots.push(Slot { point: usize::MAX, used: 0, row: Aligned::zeros(gram.len()) });
        }
        let mut free: Vec<usize> = (self.slots.len() - fresh..self.slots.len()).collect();
        free.extend(self.oldest(missing.len() - fresh));
        for (&slot, &i) in free.iter().zip(&missing) {
            if let Some(old) = self.slot.get_mut(self.slots[slot].point) {
                *old = NONE;
            }
            self.slots[slot].point = i;
            self.slots[slot].used = self.clock;
            self.slot[i] = slot as u32;
        }
        let mut targets: Vec<(usize, &mut [f32])> = Vec::with_capacity(missing.len());
        let mut rank = vec![usize::MAX; self.slots.len()];
        free.iter().enumerate().for_each(|(order, &slot)| rank[slot] = order);
        for (slot, entry) in self.slots.iter_mut().enumerate() {
            if rank[slot] != usize::MAX {
                targets.push((rank[slot], &mut entry.row));
            }
        }
        targets.sort_unstable_by_key(|(order, _)| *order);
        let mut targets: Vec<&mut [f32]> = targets.into_iter().map(|(_, row)| row).collect();
        gram.rows(&missing, &mut targets);
    }

    /// The `count` slots that were used longest ago, none of them in this round.
    fn oldest(&self, count: usize) -> Vec<usize> {
        let mut old: Vec<(u64, usize)> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.used < self.clock && slot.point != usize::MAX)
            .map(|(number, slot)| (slot.used, number))
            .collect();
        assert!(old.len() >= count, "no more rows can be lent at once than the cache holds");
        if count > 0 && count < old.len() {
            old.select_nth_unstable(count - 1);
        }
        old.truncate(count);
        old.sort_unstable();
        old.into_iter().map(|(_, number)| number).collect()
    }
}

impl Gram for Cached<'_> {
    fn len(&self) -> usize {
        self.gram.len()
    }

    fn diagonal(&self) -> &[f64] {
        self.gram.diagonal()
    }

    fn rows(&self, points: &[usize], out: &mut [&mut [f32]]) {
        let mut rows = self.rows.lock().expect("no holder of the lock can panic");
        let batch = rows.capacity.max(1);
        for (points, out) in points.chunks(batch).zip(out.chunks_mut(batch)) {
            // The same point may be asked for twice; the cache holds it once.
            let mut once = points.to_vec();
            once.sort_unstable();
            once.dedup();
            rows.fetch(&*self.gram, &once);
            for (&i, out) in points.iter().zip(out) {
                out.copy_from_slice(&rows.slots[rows.slot[i] as usize].row);
            }
        }
    }

    fn restrict<'b>(&'b self, index: &[usize]) -> Box<dyn Gram + 'b> {
        self.gram.restrict(index)
    }

    fn computed(&self) -> u64 {
        self.gram.computed()
    }
}
