//! Scores of an order: how well a number for each point tells the positive points from the others.

/// Points by falling score: for each score that occurs, how many positive points and how many others have it.
fn steps(scores: &[f64], positive: &[bool]) -> Vec<[f64; 2]> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
    let same = |&i: &usize, &j: &usize| scores[i] == scores[j];
    let count = |step: &[usize], side: bool| step.iter().filter(|&&i| positive[i] == side).count() as f64;
    order.chunk_by(same).map(|step| [count(step, true), count(step, false)]).collect()
}

fn sums(steps: &[[f64; 2]]) -> [f64; 2] {
    steps.iter().fold([0.0; 2], |sum, step| [sum[0] + step[0], sum[1] + step[1]])
}

/// The area under the ROC curve: the share of pairs of a positive point and another in which the positive has the larger score,
/// pairs of equal scores counted by half. Not a number where there are no such pairs.
pub(super) fn area(scores: &[f64], positive: &[bool]) -> f64 {
    let steps = steps(scores, positive);
    let [all_positive, all_others] = sums(&steps);
    let (mut above, mut won) = (0.0, 0.0);
    for [positive, others] in steps {
        won += others * (above + 0.5 * positive);
        above += positive;
    }
    won / (all_positive * all_others)
}

/// The average precision Σ (Rₙ − Rₙ₋₁) Pₙ over the thresholds that occur; 0 where there is no positive point.
pub(super) fn average_precision(scores: &[f64], positive: &[bool]) -> f64 {
    let steps = steps(scores, positive);
    let all = sums(&steps)[0];
    if all == 0.0 {
        return 0.0;
    }
    let (mut right, mut said, mut sum) = (0.0, 0.0, 0.0);
    for [positive, others] in steps {
        right += positive;
        said += positive + others;
        sum += positive / all * (right / said);
    }
    sum
}

/// −mean log p of the true class, p no smaller than the rounding of 1.
pub(super) fn log_loss(probabilities: &[f64]) -> f64 {
    let log = |p: &f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln();
    -probabilities.iter().map(log).sum::<f64>() / probabilities.len() as f64
}
