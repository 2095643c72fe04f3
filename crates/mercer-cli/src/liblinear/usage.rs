//! What the programs say when they are started without arguments.

pub(super) const TRAIN: &str = "\
Usage: linear-train [options] training_set_file [model_file]
options:
-s type : type of solver (default 1)
  for classes (more than two: one against all others)
     0 -- logistic regression (primal)
     1 -- support vector classification, squared hinge (dual)
     2 -- support vector classification, squared hinge (primal)
     3 -- support vector classification, hinge (dual)
     4 -- support vector classification by Crammer and Singer
     5 -- support vector classification, squared hinge, L1 penalty
     6 -- logistic regression, L1 penalty
     7 -- logistic regression (dual)
  for numbers
    11 -- support vector regression, squared errors beyond p (primal)
    12 -- support vector regression, squared errors beyond p (dual)
    13 -- support vector regression, errors beyond p (dual)
  for neither, whatever the labels are
    21 -- one-class support vector machine (dual): where the data are; without a bias
-c cost : C (default 1)
-p epsilon : errors up to it cost nothing in regression (default 0.1)
-n nu : the share of the rows that may lie outside, of -s 21 (default 0.5)
-e epsilon : tolerance; the gap between primal and dual ends at 0.0001 of the objective by default, and
    e times LIBLINEAR's default e makes it e times as large: that is 0.01 for -s 0, 2, 5, 6 and 21,
    0.0001 for -s 11, 0.1 for the others
-B bias : if bias >= 0, a constant feature of this value; if < 0, none (default -1)
-R : the weight of the constant feature costs nothing; needs -B 1, for -s 0, 2, 5, 6 and 11
-wi weight : C of class i is weight*C (default 1)
-v n : n-fold cross validation instead of a model
-C : find C by cross validation (-s 0 and 2; -s 11: C and p)
-m nr_thread : threads (default: all cores)
-q : quiet (no output)
The model is written as LIBLINEAR's text, or as a mercer model where its name ends in .mercer.
";

pub(super) const PREDICT: &str = "\
Usage: linear-predict [options] test_file model_file output_file
options:
-b probability_estimates : whether to predict probabilities, 0 or 1 (default 0), by logistic regression
-q : quiet (no output)
";
