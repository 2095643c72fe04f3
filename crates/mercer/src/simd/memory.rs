//! Memory for vector instructions: aligned to cache lines, in huge pages, and written past the caches where it is large.

use super::{Level, level};
use crate::memory::ask_for;

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// A vector whose first element begins a cache line, so that no load of a whole line touches two.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    values: Vec<T>,
    offset: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// `len` zeros. The system provides memory only as it is written.
    pub(crate) fn zeros(len: usize) -> Self {
        ask_for(len.saturating_mul(size_of::<T>()));
        let values = vec![T::default(); len + LINE / size_of::<T>()];
        let offset = values.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Self { values, offset, len }
    }
}

impl Aligned<f32> {
    /// `len` zeros for which the system is asked to use huge pages, which it may decline. Pages are provided one by one,
    /// and there are five hundred times fewer huge ones.
    pub(crate) fn huge_zeros(len: usize) -> Self {
        let zeros = Self::zeros(len);
        ask_for_huge_pages(&zeros.values);
        zeros
    }
}

/// The most cache lines of one slice that are asked for.
const EXPECTED: usize = 32;

/// Asks for the memory of a slice, which is to be read soon, to be brought into the caches meanwhile.
#[inline(always)]
pub(crate) fn expect<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(slice)).step_by(LINE).take(EXPECTED) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it reads nothing, and the address is inside the slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().cast::<i8>().add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, EXPECTED);
}

/// An empty vector with room for `capacity` elements, in huge pages where the system agrees.
pub(crate) fn huge_vec<T>(capacity: usize) -> Vec<T> {
    ask_for(capacity.saturating_mul(size_of::<T>()));
    let vector = Vec::with_capacity(capacity);
    ask_for_huge_pages(&vector);
    vector
}

/// `len` zeros in huge pages where the system agrees. The system provides memory only as it is written. What cannot be had unwinds
/// ([`ask_for`]).
pub(crate) fn huge_zeros<T: Copy + Default>(len: usize) -> Vec<T> {
    ask_for(len.saturating_mul(size_of::<T>()));
    let zeros = vec![T::default(); len];
    ask_for_huge_pages(&zeros);
    zeros
}

/// Asks the system to back the whole pages of a vector's memory by huge ones.
fn ask_for_huge_pages<T>(vector: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const HUGE: usize = 2 << 20;
        let begin = vector.as_ptr() as usize;
        let (first, end) =
            (begin.next_multiple_of(HUGE), (begin + vector.capacity() * size_of::<T>()) / HUGE * HUGE);
        if end > first {
            // SAFETY: the range lies inside memory that the vector owns; the advice changes no contents.
            unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = vector;
}

/// Returns freed memory to the operating system: what the allocator of the GNU C library has kept for later, of all threads. It
/// changes no setting. With another C library this function does nothing.
///
/// Cost: a walk over the free blocks, about a millisecond.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: has the allocator give back free pages, under its own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Has the allocator return freed memory whenever 4 MB of it lie together, in the whole process and for good. It is for the
/// beginning of a program; the library itself never calls it.
///
/// By default the allocator of the GNU C library keeps freed blocks of up to 32 MB, for each thread: a fit then takes up
/// to half as much memory again as it holds at any time. With another C library this function does nothing.
pub fn keep_little_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets two numbers inside the allocator, under its own locks.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 4 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 4 << 20);
    }
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), offset: 0, len: 0 }
    }
}

impl<T> std::ops::Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values[self.offset..self.offset + self.len]
    }
}

impl<T> std::ops::DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.offset..self.offset + self.len]
    }
}

/// Copies `source` to `target`, past the caches where both are whole cache lines: a kernel row is longer than any
/// cache, and reading its old contents only to overwrite them would double the traffic.
///
/// The caller must call [`fence`] before another thread reads the result.
pub(crate) fn stream(target: &mut [f32], source: &[f32]) {
    assert_eq!(target.len(), source.len());
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 && target.len().is_multiple_of(16) && target.as_ptr().align_offset(LINE) == 0
    {
        // SAFETY: the processor has the instruction set; lengths agree and are whole vectors; the target is aligned.
        unsafe { x86::stream(target, source) };
        return;
    }
    target.copy_from_slice(source);
}

/// Makes all values written by [`stream`] so far visible to other threads.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: part of the baseline of x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// # Safety
    /// AVX-512F; both slices have the same length, a multiple of 16; the target is aligned to 64 bytes.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn stream(target: &mut [f32], source: &[f32]) {
        for at in (0..target.len()).step_by(16) {
            // SAFETY: 16 values from `at` lie inside both slices; the target stays aligned.
            unsafe {
                _mm512_stream_ps(target.as_mut_ptr().add(at), _mm512_loadu_ps(source.as_ptr().add(at)))
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_begin_a_cache_line() {
        for len in [1, 7, 1000] {
            let mut v = Aligned::<f32>::zeros(len);
            assert_eq!((v.len(), v.as_ptr() as usize % LINE), (len, 0));
            v[len - 1] = 3.0;
            assert_eq!(Aligned::<f64>::zeros(len).as_ptr() as usize % LINE, 0);
        }
    }

    #[test]
    fn streaming_copies_whatever_the_alignment() {
        let source: Vec<f32> = (0..300).map(|i| i as f32).collect();
        for (offset, len) in [(0, 64), (0, 65), (3, 64), (1, 0)] {
            let mut target = Aligned::<f32>::zeros(300);
            stream(&mut target[offset..offset + len], &source[..len]);
            fence();
            assert_eq!(target[offset..offset + len], source[..len]);
            assert!(target[offset + len..].iter().all(|&v| v == 0.0));
        }
    }
}
