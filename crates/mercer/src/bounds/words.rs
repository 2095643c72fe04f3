//! The formula and the assumption of each bound.

type Words = (&'static str, &'static str);

pub(super) const TEST: Words = (
    "errors / m, with the interval of Clopper and Pearson",
    "the m rows of the test are drawn like those to come, and neither the model nor its parameters were chosen by them",
);
pub(super) const LEAVE_ONE_OUT: Words = (
    "errors / n, each row classified by the optimum of the others",
    "its mean over training sets is the mean error of fits to n − 1 rows (Luntz and Brailovsky 1969); not where parameters were chosen by it",
);
pub(super) const SPAN: Words = (
    "#{p: α_p S_p² ≥ y_p f(x_p)} / n, S_p the distance of φ(x_p) to what the other free support vectors can make",
    "equal to leave-one-out where leaving a row out lets no other become or stop being free (Vapnik and Chapelle 2000)",
);
pub(super) const XI_ALPHA: Words = (
    "#{p: 2 α_p RΔ² + ξ_p ≥ 1} / n, RΔ² = max k(x, x') − min k(x, x') over the rows",
    "above leave-one-out where a free support vector stays free when a row is left out (Joachims 2000)",
);
pub(super) const XI_ALPHA_WITHOUT_OFFSET: Words = (
    "#{p: α_p k(x_p, x_p) + ξ_p ≥ 1} / n",
    "above leave-one-out, as there is no offset (Jaakkola and Haussler 1999)",
);
pub(super) const SUPPORT_VECTORS: Words = (
    "#SV / n",
    "above leave-one-out: without a row that is no support vector the optimum is the same (Vapnik 1995)",
);
pub(super) const RADIUS_MARGIN: Words = (
    "(4 R² Σα + Σξ) / n; Σα = ‖w‖² without errors or with squared slacks, which count as a part of φ",
    "above leave-one-out; with slacks that are not squared, where a free support vector stays free when a row is left out (Vapnik and Chapelle 2000; Chung, Kao, Sun, Wang and Lin 2003)",
);
pub(super) const RADIUS_MARGIN_WITHOUT_OFFSET: Words = (
    "(R² Σα + Σξ) / n, R² = max k(x, x) about the origin; Σα = ‖w‖² without errors or with squared slacks, which count as a part of φ",
    "above leave-one-out, as there is no offset (Vapnik 1998)",
);
pub(super) const RADIUS_MARGIN_RULE: Words = (
    "R² Σα / n",
    "no bound: Vapnik's constant, by which C and kernels are compared with one another (Chapelle, Vapnik, Bousquet and Mukherjee 2002), not where slacks are linear",
);
pub(super) const PAC_BAYES: Words = (
    "2 Q, kl(mean Φ̄(μ y f / (‖(w, b)‖ √(k(x, x) + 1))) ‖ Q) = (μ²/2 + ln((n + 1)/δ)) / n, at the best μ",
    "rows drawn independently, the kernel chosen without them; for all w, b and μ at once (Langford 2005)",
);
pub(super) const RADEMACHER: Words = (
    "mean min(1, ξ) + 2 (‖w‖ √tr K + |b| √n) / n + 3 √(ln(2/δ) / 2n)",
    "rows drawn independently; the kernel and the values of ‖w‖ and |b| fixed before they were (Bartlett and Mendelson 2002)",
);
pub(super) const STRUCTURAL: Words = (
    "R_emp + √((d (ln(2n/d) + 1) − ln(δ/4)) / n), d = min(⌊R²‖w‖²⌋, N) + 1",
    "rows drawn independently; R_emp counts rows inside the margin; the kernel, R and ‖w‖ fixed before the rows were drawn (Vapnik 1995)",
);
pub(super) const UNIFORM: Words = (
    "R_emp + √((G(2n) − ln(δ/4)) / n) + 1/n, G(2n) ≤ d (ln(2n/d) + 1), d = min(⌊R²‖w‖²⌋, N) + 1",
    "rows drawn independently; R_emp counts rows inside the margin; the kernel, R and ‖w‖ fixed before the rows were drawn (Vapnik 1998)",
);
pub(super) const VOTE: Words = (
    "errors / n, each row classified by the pairs fitted to the others",
    "its mean over training sets is the mean error of fits to n − 1 rows (Luntz and Brailovsky 1969); not where parameters were chosen by it",
);
pub(super) const SUPPORT_OF_ANY: Words = (
    "#{rows that are a support vector of a pair or misclassified} / n",
    "above leave-one-out: without any other row no pair changes (Vapnik 1995)",
);
