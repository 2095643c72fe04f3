"""scikit-learn's own tests, taken from the installed package, with mercer's classes in place of theirs."""
