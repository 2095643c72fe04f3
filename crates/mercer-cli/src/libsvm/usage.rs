//! What the programs say when they are started without arguments.

pub(super) const TRAIN: &str = "\
Usage: svm-train [options] training_set_file [model_file]
options:
-s svm_type : type of machine (default 0)
    0 -- C-SVC (several classes by pairs)
    1 -- nu-SVC
    2 -- one-class SVM
    3 -- epsilon-SVR
    4 -- nu-SVR
-t kernel_type : type of kernel (default 2)
    0 -- linear: u'*v
    1 -- polynomial: (gamma*u'*v + coef0)^degree
    2 -- radial basis function: exp(-gamma*|u-v|^2)
    3 -- sigmoid: tanh(gamma*u'*v + coef0)
    4 -- precomputed kernel (values in training_set_file)
-d degree : degree of the polynomial (default 3)
-g gamma : gamma of the kernel (default 1/number of features)
-r coef0 : coef0 of the kernel (default 0)
-c cost : C of C-SVC, epsilon-SVR and nu-SVR (default 1)
-n nu : nu of nu-SVC, one-class SVM and nu-SVR (default 0.5)
-p epsilon : epsilon of epsilon-SVR (default 0.1)
-m cachesize : memory for kernel rows in MB (default 100)
-e epsilon : largest violation of the optimality conditions (default 0.001)
-h shrinking : whether to set decided variables aside, 0 or 1 (default 1)
-b probability_estimates : whether to learn probabilities, 0 or 1 (default 0)
-wi weight : C of class i is weight*C (default 1)
-W weight_file : a weight for each row, one number a line
-v n : n-fold cross validation instead of a model
-q : quiet (no output)
The model is written as LIBSVM's text, or as a mercer model where its name ends in .mercer.
";

pub(super) const PREDICT: &str = "\
Usage: svm-predict [options] test_file model_file output_file
options:
-b probability_estimates : whether to predict probabilities, 0 or 1 (default 0)
-q : quiet (no output)
";

pub(super) const SCALE: &str = "\
Usage: svm-scale [options] data_filename
options:
-l lower : lower limit of scaled features (default -1)
-u upper : upper limit of scaled features (default +1)
-y y_lower y_upper : limits of scaled targets (default: targets are not scaled)
-s save_filename : save the scaling to save_filename
-r restore_filename : scale by what was saved in restore_filename
";
