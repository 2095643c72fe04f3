//! The longer texts of the help.

pub(crate) const ABOUT: &str = "Kernel machines, exact and certified";

pub(crate) const LONG_ABOUT: &str = "\
Kernel machines, exact and certified: train a support vector classifier, a regression or a description of where \
the data are on a data file, and get with it a certificate of how far it can be from the best there is.

New here? `mercer demo` draws a picture in a second. Then `mercer train DATA` and `mercer predict DATA MODEL`.";

pub(crate) const AFTER: &str = "\
Examples:
  mercer demo
  mercer train --kernel \"rbf(gamma=0.5)\" -c 10 heart.txt heart.mercer
  mercer predict heart.test.txt heart.mercer predictions.txt
  mercer inspect heart.mercer
  mercer verify heart.mercer heart.txt
  mercer bounds heart.mercer heart.txt
  mercer kernel list
  mercer rde heart.txt

LIBSVM users: svm-train, svm-predict and svm-scale work unchanged, as `mercer svm-train …` or by a
link of that name to this program. LIBLINEAR users: so do linear-train and linear-predict, its train
and predict.

Exit codes:
  0    success (also where a limit ended the fit early: a warning says so, the model is marked)
  1    the data or the model file is bad; the message says where
  2    wrong usage, or a parameter out of range
  3    a kernel failed its check
  4    reading or writing failed
  5    not supported
  6    a certificate that was verified is not true
  130  interrupted; a fit still saves the best model so far, marked as interrupted

`mercer COMMAND --help` has the options and examples of a command.";

pub(crate) const TRAIN: &str = "\
Examples:
  mercer train heart.txt                              model in heart.txt.mercer
  mercer train -k \"rbf(gamma=0.5)\" -c 10 heart.txt heart.mercer
  mercer train -s standard --label species iris.csv   CSV, scaled, label by name
  mercer train -k \"linear + poly(degree=2)\" -w 1=5 data.txt.gz
  mercer train --libsvm -c 10 heart.txt heart.model   a model that LIBSVM reads
  mercer train --time-limit 60 --json big.txt | tail -1
  mercer train --early -c 10 huge.txt                 approximate: a machine for each of several cells
  mercer train -m svr -c 10 --epsilon 0.1 -s standard --label price houses.csv
  mercer train -m nu-svr --nu 0.3 houses.csv          epsilon is found
  mercer train -m ridge --lambda auto houses.csv      least squares, lambda by rows left out
  mercer train -m ridge --targets y.csv --label none x.csv    a function for each column of y.csv
  mercer train -m one-class --nu 0.05 --label none normal.csv
  mercer train -m svdd -c 0.01 -k \"rbf(gamma=0.5)\" normal.txt
  mercer train -m fisher --mu 0.01 --threshold svm heart.txt
  mercer train -m cca --second captions.csv --kappa 0.001,0.01,0.1 --label none images.csv
  mercer train --multiclass softmax vowel.txt         one function for each class
  mercer train --multilabel scenes.txt                labels such as 2,5
  mercer train --weights weights.txt heart.txt        a weight for each row
  mercer train -m kpca --components 8 -k \"rbf(gamma=10)\" --label none points.csv
  mercer train --probability platt heart.txt          for mercer predict --probabilities
  mercer train -m svr --probability noise --folds 10 --seed 7 houses.csv
  mercer train -k \"normalized(spectrum(p=4))\" sms.tsv     texts: label, tab, text; or FASTA
  mercer train -k \"normalized(wl(h=5))\" MUTAG             graphs: a TU folder, or JSON lines
  mercer train -k \"normalized(set(rbf(gamma=1)))\" bags.txt    sets of rows: LIBSVM text with qid:
  mercer train -k \"spectrum(p=3)@name + rbf(gamma=1)@[age,dose]\" patients.csv

svc (the default) tells classes apart, svr, nu-svr and ridge predict numbers: labels must be numbers
then. ridge holds the Gram matrix (4 bytes and 2 more for each pair of rows) or, where --memory does
not allow that, computes it again and again.
one-class and svdd say where the data are, and labels are not looked at; a CSV file without a
label column needs --label none. C of svdd must be at least 1/rows; from 1 on the sphere holds all.

fisher finds axes of feature space on which classes lie far apart and are narrow, at most one fewer
than there are classes; a row belongs to the class whose mean is nearest on them. --points 50 looks
for them in the span of 50 rows: less memory, and a smaller, faster model. cca finds functions of two views of the
same rows (the data file and --second) that correlate. `mercer transform` gives the components of
other rows. Both need a price on the norm (--mu, --kappa), without which the training data say nothing.

Classes are numbered in the order in which they first appear, but 1 comes before -1. More than two
classes (--multiclass, with --method svc):
  ovo             a machine for each pair of classes and a vote (the default; also with nu-svc);
                  of classes with equal votes the one with the larger sum of decisions wins
  ovo-sum         the same machines; the largest sum of decisions wins (also with nu-svc)
  ovr             a machine for each class against all others; the largest decision wins
  crammer-singer  one problem for all classes, a function for each and no offset: a row costs
                  what the worst of the other classes comes closer than 1
  weston-watkins  the same, with the cost summed over the other classes
  softmax         the same, with the cost of multinomial logistic regression

With --multilabel a row has several labels or none: `2,5 1:0.5 …` in LIBSVM text (a row without
labels begins with its first entry), a cell `2,5` of a CSV file. A machine is fitted to each label.

A weight (--weights) that is a whole number counts the row so often; 0 leaves it out.

--early is for 100,000 rows and more where many are support points and minutes matter: the rows are
divided into cells that lie together (by kernel k-means), each cell gets a machine of its own, and a
row to be predicted is decided by that of the nearest cell. This is an approximation: each machine is
exact and certified, but nothing says how far they are together from the machine of all rows. Fewer
cells (--early=8) are slower and better. With less than 100,000 rows, --time-limit is the better way to be fast.

Probabilities are learnt from rows that were left out: --folds fits, each to all rows but those of a
fold, on top of the fit itself. platt needs few rows, isotonic a thousand or more. The folds are
drawn by --seed, and the same seed gives the same model on any number of threads.

The certificate says how good the answer is: the duality gap bounds how far the objective is from
the best. A fit that a limit or Ctrl-C ended early is saved all the same and marked.

Next: `mercer predict DATA MODEL`, `mercer inspect MODEL`; kernels: `mercer kernel list`.";

pub(crate) const CV: &str = "\
Examples:
  mercer cv heart.txt                                 5 folds, accuracy, an interval
  mercer cv -c 10 -k \"rbf(gamma=0.5)\" --folds 10 --repeats 3 heart.txt
  mercer cv -s standard --metric accuracy,auc,log-loss heart.txt
  mercer cv -m svr -c 10 --folds loo houses.csv       each row left out once
  mercer cv -m ridge --folds \"time(5)\" --metric mae sales.csv
  mercer cv --folds \"grouped(5)\" --groups patients.txt scans.txt
  mercer cv --out left-out.tsv heart.txt              what was said of each row
  mercer cv -k \"spectrum(p=3)\" genes.tsv            texts; graphs and sets the same way
  mercer cv -m one-class --nu 0.1 --metric balanced-accuracy,auc outliers.txt    labels 1 and -1

Rows are left out (--folds):
  5              a fifth after the other; of classes a fifth of each
  plain(5)       the same whatever the classes
  grouped(5)     rows of a group (--groups) are never torn apart
  loo            each row alone
  holdout(0.25)  a quarter once
  time(5)        rows in their order: fitted to the past, judged by what comes next
  given          the folds of --fold-file, a word a row

Metrics (--metric, separated by commas; scikit-learn's names are understood):
  of classes     accuracy, balanced-accuracy, f1, precision, recall (of more than two classes with
                 -macro, -micro or -weighted), mcc, kappa, auc, average-precision, log-loss
  of numbers     mse, rmse, mae, median-ae, max-error, r2, explained-variance
  of sets        hamming, subset-accuracy, f1-micro, f1-macro
  of clusters    ari, against the labels

mean and spread are over the folds, `all rows` is of all predictions together. The interval holds the
true value in 95 of 100 cases: of accuracy it is Wilson's for a binomial, else a bootstrap over the
rows left out. It says nothing of how the score changes with other rows to learn from.

--scale is done anew for each fit, by its own rows, so that nothing is learnt from the rows left out.
After Ctrl-C the folds that are done are reported, with exit code 130.

Next: `mercer search` finds the best parameters; `mercer train` fits to all rows.";

pub(crate) const SEARCH: &str = "\
Examples:
  mercer search heart.txt                             100 candidates of rbf, 5 folds; the best is saved
  mercer search -k \"rbf(gamma=2^-13..2^5)\" -c 2^-5..2^13 heart.txt heart.mercer
  mercer search -k \"{linear, rbf(gamma=1e-3..1e1)}\" -c 1e-2..1e3 --metric balanced-accuracy heart.txt
  mercer search -m svr -c 2^-5..2^5 --epsilon {0.01,0.1} -k \"rbf(gamma=2^-8..2^2)\" houses.csv
  mercer search -m ridge --lambda 1e-6..1e0 -k \"matern(length=2^-2..2^4)\" houses.csv
  mercer search -k \"spectrum(p=2..6)\" -c 1e-1..1e2 genes.tsv
  mercer search --log heart.log --stop-after 60 heart.txt     go on later by the same command
  mercer search --refine 2 --one-se --plot map.svg --csv all.csv heart.txt
  mercer search --nested 5 heart.txt                  how good the whole search is
  mercer search --race heart.txt                      beaten candidates are dropped, the best is proved
  mercer search -c 1 -k \"?*rbf(gamma=0.1) + ?*linear\" heart.txt   weights of the sum are learned

Ranges, in the kernel and of any parameter:
  2^-5..2^13      powers of 2, exponents in steps of 2      1e-3..1e3   powers of 10
  2..5            whole numbers                             0.1..0.9    ten at equal distances
  LOW..HIGH/7     seven of them                             {1,10,auto} a list; of kernels too

What is tried: all candidates; --random N draws N of them; --halving begins with few rows, keeps the
better third and goes on with three times as many; --refine N looks N times about the best, at half
the distance.

Candidates of svc that differ in C alone share one matrix of kernel values for all folds and classes,
and each C begins from the answer for the last: list C as a range. Other methods are fitted one by one.

The best has the best mean of the first metric; of equal ones the first. --one-se takes the first
within one standard error of it: write ranges from simple to complex. A warning tells of a best value
on the edge of its range. The mean of the best is a little too good, since it was chosen for it:
--nested leaves rows out of the whole search.

--race keeps for each candidate of svc an interval in which its exact score lies, drops those that are
provably beaten, and says whether the best is proved to be what exact fits of all would have found. It
is of kernels that are positive semi-definite by construction.

--log writes every outcome down; a search that was killed, interrupted or out of --stop-after goes on
from it and ends with the same table.

Next: `mercer predict DATA MODEL`; `mercer cv` for more about the best.";

pub(crate) const PREDICT: &str = "\
Examples:
  mercer predict test.txt heart.mercer                labels to standard output
  mercer predict test.txt heart.mercer out.txt        labels to a file, accuracy to the terminal
  mercer predict --decisions test.csv iris.mercer | head
  mercer predict test.txt svm.model                   a LIBSVM model, recognised by its content
  mercer predict --decisions new.csv normal.mercer    1 or -1, and how far inside
  mercer predict --probabilities test.txt heart.mercer

The scaling and the columns of the training data are stored in the model and applied to DATA. Where
DATA has labels the accuracy is printed; for a regression the mean squared error and R², the share
of the variance explained. One-class and svdd models predict 1 inside and -1 outside; their score
is f, and R² - |phi(x) - a|² for the sphere: positive inside. Models of sets of labels predict sets,
and Hamming loss, subset accuracy, micro and macro F1 are printed. The label is always that of the
largest of the scores that --scores writes (for sets: all that are positive). Sparse rows, and sets in LIBSVM
text, may be narrower or wider than the model; dense rows must have its width.

Texts without labels (--label none) are one a line, and an empty line is an empty text.

--probabilities needs a model trained with --probability, with --multiclass softmax, or by
svm-train -b 1. The label is then the most probable one; a regression has the ends of the interval
that nine targets of ten lie in, a one-class model the probabilities of being normal and an outlier.

Next: `mercer inspect MODEL` shows what the model is.";

pub(crate) const TRANSFORM: &str = "\
Examples:
  mercer train -m kpca --components 8 -k \"rbf(gamma=10)\" points.csv points.mercer
  mercer transform points.csv points.mercer components.csv
  mercer transform --figure components.svg points.csv points.mercer -
  mercer transform --components 2 new.txt points.mercer
  mercer transform heart.test.txt fisher.mercer axes.csv        where each row lies on the axes
  mercer transform --second captions.csv --label none images.csv cca.mercer both.csv

A row becomes its components: of kpca, by the same centring as the training data, the axes of
fisher, the functions of the first view of cca (--second-view: of the second; --second FILE: of both,
with their correlations, which on new rows say what the model has found). Labels stay. OUT is CSV if
its name says so, else LIBSVM text. --figure draws, for models of two features, the lines along which
each component is constant. Data and model may stand in either order.";

pub(crate) const DENOISE: &str = "\
Examples:
  mercer train -m kpca --components 256 -k \"rbf(gamma=0.0078125)\" digits.txt digits.mercer
  mercer denoise noisy.txt digits.mercer clean.csv
  mercer denoise --way distances --neighbours 10 noisy.txt digits.mercer clean.csv
  mercer denoise --noise gaussian=0.5 --components 16,64,256 test.txt digits.mercer
  mercer denoise --clean test.txt --shape 16x16 --panel panel.svg noisy.txt digits.mercer

A row is projected on the components, and a row of the same features is looked for whose image is
near to the projection: what lies along other components, as noise does, is gone. Ways back:
  linear       exact, for the kernel `linear`: linear PCA
  fixed-point  for `rbf`: steps from the noisy row until they rest (Mika et al. 1999)
  distances    for `rbf`, `matern`, `rational`, `plummer`, `linear` and `poly` of odd degree: the place
               with the right distances to its neighbours (Kwok and Tsang 2004)
  ridge        for all kernels: a regression from components to rows
By default linear for `linear`, fixed-point for `rbf`, else ridge.

With --clean (the rows without noise) or --noise (noise that is added first) the mean square error is
told, and of several numbers of components the best is taken. --beside tries a second model, as a
linear PCA, on the same rows. Data and model may stand in either order.";

pub(crate) const SCALE: &str = "\
Examples:
  mercer scale --save ranges.txt train.txt train.scaled
  mercer scale --restore ranges.txt test.txt test.scaled
  mercer scale --method standard data.csv scaled.csv

`mercer train --scale …` does the same and keeps the scaling in the model, so that nothing can be
forgotten in prediction.";

pub(crate) const FEATURES: &str = "\
Examples:
  mercer features --tfidf --ngrams 1..2 --save map train.tsv train.libsvm
  mercer features --restore map test.tsv test.libsvm
  mercer features --hash 18 --unit char_wb --ngrams 3..5 train.tsv train.libsvm
  mercer features --features \"tfidf(min_df=2, sublinear=yes)\" train.csv train.libsvm

`mercer train --features …` does the same and keeps the features in the model, so that prediction takes
texts as they are. Names and numbers are those of scikit-learn's vectorizers.";

pub(crate) const INSPECT: &str = "\
Examples:
  mercer inspect heart.mercer
  mercer inspect --json heart.mercer";

pub(crate) const VERIFY: &str = "\
Examples:
  mercer verify heart.mercer heart.txt                the model and the data that it was trained on
  mercer verify --weights weights.txt heart.mercer heart.txt
  mercer verify --json heart.mercer heart.txt | jq .true
  mercer verify -c 10 svm.model heart.txt             a model of LIBSVM, whoever trained it
  mercer verify --second captions.csv pairs.mercer images.csv

Kernel values are computed one by one as the kernel is defined, in double precision, and from them
objectives, gap, violation, offsets and residuals, without anything of the solvers. Each number is
told as the file has it and as it was found, with what rounding alone may part the two. The exit code
is 6 where one is not true, 0 where all are. Of a file without a certificate the numbers are told, and
it is true where the conditions of an optimum hold to --tolerance; where C is not known, the largest
coefficient of a class is taken for it. Files of earlier versions do not tell all settings.";

pub(crate) const BOUNDS: &str = "\
Examples:
  mercer bounds heart.mercer heart.txt                the model and the data that it was trained on
  mercer bounds --test heart.test.txt heart.mercer heart.txt
  mercer bounds --json heart.mercer heart.txt | jq '.pairs[0].bounds[] | [.name, .value]'
  mercer bounds -c 10 svm.model heart.txt             a model of LIBSVM
  mercer bounds --picture risk.svg heart.mercer heart.txt

Of classifiers by svc and nu-svc, whose kernel is positive semi-definite. Sorted by use: what was
counted on a test, then what is near the error, then what is above the leave-one-out error or, but for a
probability of --delta, above the error itself; each with its formula and the conditions under which it
holds, and marked where it says nothing (1 or more). With more than two classes each pair has its own;
the leave-one-out error and the share of support vectors are told of the vote too. Data that the model
was not fitted to are refused.";

pub(crate) const CONVERT: &str = "\
Examples:
  mercer convert iris.csv iris.libsvm                 data, by the names of the files
  mercer convert --to csv data.txt.gz data.csv
  mercer convert svm.model svm.mercer                 a LIBSVM model becomes a mercer model
  mercer convert heart.mercer heart.model             and back, for kernels that LIBSVM has; a linear
                                                      model becomes LIBLINEAR's text";

pub(crate) const METHODS: &str = "\
Examples:
  mercer methods
  mercer methods ridge                                parameters, their values, defaults and meaning
  mercer methods --json | jq '.methods[].name'";

pub(crate) const KERNEL: &str = "\
Examples:
  mercer kernel list
  mercer kernel show \"2*rbf(0.5) + linear\"
  mercer kernel check \"tanh(gamma=1, coef0=-1)\" heart.txt";

pub(crate) const KERNEL_CHECK: &str = "\
Examples:
  mercer kernel check \"rbf(gamma=0.5)\" heart.txt
  mercer kernel check --rows 200 --spectrum 20 \"tanh(gamma=1, coef0=-1)\" heart.txt

A function is a kernel if every Gram matrix it makes is positive semi-definite. First the expression
is looked at: the rules of the algebra keep kernels kernels. Then the Gram matrix of the data: its
smallest eigenvalue, and where that is negative beyond rounding a witness. The exit code is 3 if
there is one.";

pub(crate) const KERNEL_GRAM: &str = "\
Examples:
  mercer kernel gram \"rbf(gamma=0.5)\" heart.txt gram.npy            numpy.load(\"gram.npy\")
  mercer kernel gram \"normalized(spectrum(p=4))\" sms.tsv sms.gram    svm-train -t 4 sms.gram
  mercer kernel gram \"normalized(wl(h=5))\" MUTAG mutag.npy
  mercer kernel gram --rows new.txt \"rbf(gamma=0.5)\" heart.txt new.gram

The kernel tells what points are. Vectors are LIBSVM, CSV or NPY files. Texts are lines of a label, a tab
and the text, FASTA files, or a column of a CSV file that --columns names. Graphs are a folder of the TU
collection, or lines of JSON: {\"label\": 1, \"nodes\": [\"C\", \"O\"], \"edges\": [[0, 1, \"double\"]]}. Sets of
vectors are LIBSVM rows `label qid:SET index:value ...`, or a CSV file with a column that --group names.

A file whose name ends in .npy is a NumPy array, rows by columns, in double precision. Any other is what
LIBSVM reads as a precomputed kernel: `label 0:number 1:value 2:value ...`. LIBSVM has numbers for labels:
classes that are words get theirs from 1, in the order in which DATA has them, and the report says which.";

pub(crate) const PLOT: &str = "\
Examples:
  mercer plot decision-surface ripley.mercer ripley.txt
  mercer plot decision-surface heart.mercer heart.txt --features 5,8 -o heart.svg
  mercer plot contours kpca.mercer rows.txt           components of a kernel PCA over the plane
  mercer plot gram \"rbf(gamma=0.5)\" heart.txt
  mercer plot kernel \"rbf(gamma=2)\" \"linear @ gaussians(count=9)\"
  mercer plot spectrum \"rbf(gamma=4)\" ripley.txt
  mercer plot nu-sweep \"rbf(gamma=4)\" ripley.txt
  mercer plot path \"rbf(gamma=4)\" ripley.txt -c 10
  mercer plot denoising kpca.mercer digits.txt --shape 8x8 --noise gaussian=4
  mercer plot search scores.csv                       of mercer search --csv scores.csv …

A model is drawn with the data it was trained on, or with other rows. Pictures stand on a white ground and can be read without
colour, on paper too. The same figures as PNG or PDF: mercer.plot of the Python package.";

pub(crate) const RDE: &str = "\
Examples:
  mercer rde heart.txt                                the best Gaussian width, its dimension, the noise
  mercer rde -k \"rbf(gamma=0.5)\" heart.txt           this kernel as it is
  mercer rde --grid 2^-15:2^3 heart.txt               widths from 2^-15 to 2^3, doubling
  mercer rde -k \"poly(degree=3)\" --grid 0.01,0.1,1 heart.txt
  mercer rde -k \"rbf + linear\" --parameter 0.rbf.gamma --grid auto heart.txt
  mercer rde --regression -s standard --label price houses.csv
  mercer rde --figure spectrum.svg --spectrum spectrum.csv --labels-out clean.txt heart.txt

The eigenvectors of a Gram matrix are directions of feature space, the most important first. Labels
have a part in each. What a kernel can learn lies in the first few; noise is spread over all of
them alike. Relevant dimension estimation (Braun, Buhmann and Mueller 2008) finds where the one
ends and the other goes on alone:
  tcm  two components: the cut d that makes two levels, before and after it, most likely
  loo  the cut d whose fit by the first d eigenvectors has the least leave-one-out error
The noise of classes is the share of rows whose label is not the one that the first d directions
say; that of numbers is the variance of what is left. Both are found on these rows, so that the
error on new ones will be larger.

How to read it:
  few dimensions, little noise    the kernel fits the problem; any kernel machine will do
  many dimensions, little noise   a complex problem that can be learnt; more rows will help
  few dimensions, much noise      the labels are noisy, or the features do not tell more
  many dimensions, much noise     too few rows, or a kernel that does not fit; try another

Values of --grid: `auto` (around the median distance for gamma of rbf, else around the value in the
kernel), LOW:HIGH or LOW:HIGH:STEP (STEP in powers of two, 1 by default), or a list; 2^-3 and 10^-3
may be written so. Of several kernels that with the best score of the method is taken.

Cost: the eigenvectors of an n by n matrix for each value. --rows takes a sample of more rows.

Next: `mercer train -k KERNEL DATA` with the kernel found.";

pub(crate) const DEMO: &str = "\
Examples:
  mercer demo
  mercer demo --kernel \"poly(degree=5, coef0=1)\" -c 1 --out poly.svg

The data (two classes in the plane) are part of the program. Open the picture in any browser.";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh > \"${fpath[1]}/_mercer\"
  mercer completions fish > ~/.config/fish/completions/mercer.fish";

pub(crate) const MAN: &str = "\
Examples:
  mercer man | man -l -
  mercer man /usr/local/share/man/man1";
