//! Scores of classes that were predicted, from how often each was taken for each.

/// How often points of each class were said to be of each.
pub(super) struct Confusion {
    /// Row after row: of class t said to be c.
    counts: Vec<f64>,
    classes: usize,
}

/// How the values of classes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// The value of the positive class, of two: the one whose name is the larger number, or the later word.
    Binary,
    /// The mean over the classes that occur, true or predicted.
    Macro,
    /// The value of all decisions together.
    Micro,
    /// The mean over the classes, weighted by how many points each has.
    Weighted,
}

/// Right decisions for a class, and those that said or should have said so.
#[derive(Clone, Copy)]
struct OfClass {
    right: f64,
    said: f64,
    true_: f64,
}

impl Confusion {
    pub(super) fn new(truth: &[u32], found: &[u32], classes: usize) -> Self {
        let mut counts = vec![0.0; classes * classes];
        truth.iter().zip(found).for_each(|(&t, &f)| counts[t as usize * classes + f as usize] += 1.0);
        Self { counts, classes }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn right(&self) -> f64 {
        (0..self.classes).map(|c| self.counts[c * self.classes + c]).sum()
    }

    fn of(&self, class: usize) -> OfClass {
        let k = self.classes;
        OfClass {
            right: self.counts[class * k + class],
            said: (0..k).map(|t| self.counts[t * k + class]).sum(),
            true_: self.counts[class * k..(class + 1) * k].iter().sum(),
        }
    }

    /// The share of points whose class is right.
    pub(super) fn accuracy(&self) -> f64 {
        self.right() / self.total()
    }

    /// The mean over the classes that points have of the share of their points that is right.
    pub(super) fn balanced(&self) -> f64 {
        let of: Vec<OfClass> = (0..self.classes).map(|c| self.of(c)).filter(|c| c.true_ > 0.0).collect();
        of.iter().map(|c| c.right / c.true_).sum::<f64>() / of.len() as f64
    }

    /// (1 + β²) P R / (β² P + R), precision P (β = 0) or recall R (β infinite), averaged; 0 where it is 0/0.
    pub(super) fn f(&self, beta: f64, average: Average, positive: usize) -> f64 {
        let of_one = |c: OfClass| {
            let (numerator, denominator) = if beta.is_infinite() {
                (c.right, c.true_)
            } else {
                ((1.0 + beta * beta) * c.right, beta * beta * c.true_ + c.said)
            };
            if denominator > 0.0 { numerator / denominator } else { 0.0 }
        };
        let all = (0..self.classes).map(|c| self.of(c)).filter(|c| c.said + c.true_ > 0.0);
        match average {
            Average::Binary => of_one(self.of(positive)),
            Average::Micro => {
                let (right, total) = (self.right(), self.total());
                of_one(OfClass { right, said: total, true_: total })
            }
            Average::Macro => {
                let values: Vec<f64> = all.map(of_one).collect();
                values.iter().sum::<f64>() / values.len() as f64
            }
            Average::Weighted => all.map(|c| c.true_ * of_one(c)).sum::<f64>() / self.total(),
        }
    }

    /// Matthews' correlation coefficient, of any number of classes (Gorodkin 2004); 0 where it is 0/0.
    pub(super) fn matthews(&self) -> f64 {
        let of: Vec<OfClass> = (0..self.classes).map(|c| self.of(c)).collect();
        let (s, c) = (self.total(), self.right());
        let sum = |f: fn(&OfClass) -> f64| of.iter().map(f).sum::<f64>();
        let both = sum(|c| c.said * c.true_);
        let (said, true_) = (s * s - sum(|c| c.said * c.said), s * s - sum(|c| c.true_ * c.true_));
        if said * true_ > 0.0 { (c * s - both) / (said * true_).sqrt() } else { 0.0 }
    }

    /// Cohen's kappa: agreement beyond that of chance; not a number where chance alone would agree always.
    pub(super) fn kappa(&self) -> f64 {
        let s = self.total();
        let chance = (0..self.classes).map(|c| self.of(c)).map(|c| c.said * c.true_).sum::<f64>() / (s * s);
        (self.accuracy() - chance) / (1.0 - chance)
    }
}

/// The adjusted Rand index of two partitions (Hubert and Arabie 1985): 1 where they are the same, 0 on average for random ones.
pub(super) fn adjusted_rand(truth: &[u32], found: &[u32]) -> f64 {
    let rows = truth.iter().max().map_or(0, |most| *most as usize + 1);
    let columns = found.iter().max().map_or(0, |most| *most as usize + 1);
    let mut counts = vec![0.0; rows * columns];
    truth.iter().zip(found).for_each(|(&t, &f)| counts[t as usize * columns + f as usize] += 1.0);
    let pairs = |count: f64| 0.5 * count * (count - 1.0);
    let both: f64 = counts.iter().map(|&count| pairs(count)).sum();
    let first: f64 = (0..rows).map(|t| pairs(counts[t * columns..(t + 1) * columns].iter().sum())).sum();
    let second: f64 = (0..columns).map(|f| pairs((0..rows).map(|t| counts[t * columns + f]).sum())).sum();
    let expected = first * second / pairs(truth.len() as f64);
    let most = f64::midpoint(first, second);
    if truth.len() < 2 || most == expected { 1.0 } else { (both - expected) / (most - expected) }
}
