# kernlab's answers for the machines of all classes together, stored: writes `answers.json` beside this file.
#
#     Rscript crates/mercer/tests/kernlab/make_answers.R
#
# It needs R and the package kernlab, and no other. The data are files of the repository's `data/`, scaled as they are
# there (each feature to [-1, 1] by its range in the training part); kernlab's own scaling is off.
#
# {"kernlab": VERSION, "r": VERSION, "cases": [CASE, ...]}. A CASE:
#
#   type        `spoc-svc` or `kbb-svc`
#   file        what is trained on
#   test        what is predicted
#   kernel      in mercer's text form
#   c           kernlab's C
#   shuffles    how often the rows were put in another order before kernlab's answer was optimal (below)
#   classes     the labels, in the order of the scores
#   primal      of the formulation below, in double precision, from the alpha that kernlab returns
#   dual        minus the dual objective at that alpha: not above the optimum, as `primal` is not below it
#   scores      F at the first 10 rows of `test`, row after row, from alpha
#   predictions kernlab's own `predict` for all rows of `test`
#
# The formulations are those of BSVM (Hsu and Lin 2002), whose code kernlab took up:
#
#   spoc-svc    1/2 sum_c |w_c|^2 + C sum_i max_{c != y} max(0, 1 - F_y + F_c),  F_c = w_c.phi: no bias
#   kbb-svc     1/2 sum_c (|w_c|^2 + b_c^2) + C sum_i sum_{c != y} max(0, 2 - F_y + F_c),  F_c = w_c.phi + b_c: the
#               kernel is k + 1 and the margin 2. With F = 2G it is 4 times the programme of margin 1 at C / 2.
#
# That these and no others are solved shows in the numbers: primal and dual at kernlab's alpha agree, and an answer where
# they differ by more than 1e-5 relative is not taken. (Without the bias or with margin 1 they differ by a quarter or more.)
#
# Two flaws of kernlab 0.9-32 are gone round. The `obj` of the returned object is not used: for these two types it is
# memory that was never written. And spoc-svc often ends where it is not optimal, and where depends on the order of the
# rows and not on the tolerance (vowel.scale, linear, C = 1: primal 506 and dual 459 for an optimum of 460.75, which
# LIBLINEAR confirms): the rows are shuffled until primal and dual agree.

suppressMessages(library(kernlab))

ROWS <- 10
GAP <- 1e-5
SHUFFLES <- 20
SETS <- list(
  list(train = "iris_scale", test = "iris_scale", sigma = 0.25),
  list(train = "wine_scale", test = "wine_scale", sigma = 0.1),
  list(train = "glass_scale", test = "glass_scale", sigma = 0.5),
  list(train = "vowel.scale", test = "vowel.scale.t", sigma = 1)
)

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
data <- file.path(here, "..", "..", "..", "..", "data")

# A file of the data folder, dense.
read <- function(name, width = 0) {
  file <- gzfile(file.path(data, paste0(name, ".libsvm.gz")))
  rows <- strsplit(trimws(readLines(file)), " +")
  close(file)
  index <- lapply(rows, function(row) as.integer(sub(":.*", "", row[-1])))
  value <- lapply(rows, function(row) as.double(sub(".*:", "", row[-1])))
  x <- matrix(0, length(rows), max(width, unlist(index)))
  for (i in seq_along(rows)) x[i, index[[i]]] <- value[[i]]
  list(x = x, y = as.double(sapply(rows, `[`, 1)))
}

squares <- function(a, b) {
  pmax(outer(rowSums(a^2), rowSums(b^2), "+") - 2 * a %*% t(b), 0)
}

# beta, a row a point and a column a class: F = K beta. kbb-svc leaves out the point's own class.
signed <- function(type, alpha, y, classes) {
  if (type == "spoc-svc") return(alpha)
  beta <- matrix(0, length(y), classes)
  for (i in seq_along(y)) {
    beta[i, -y[i]] <- -alpha[i, ]
    beta[i, y[i]] <- sum(alpha[i, ])
  }
  beta
}

# The answer for the rows in the order that `shuffle` gives, their own for 0.
answer <- function(set, type, kernel, c, shuffle) {
  train <- read(set$train)
  set.seed(shuffle)
  order <- if (shuffle == 0) seq_along(train$y) else sample(length(train$y))
  train <- list(x = train$x[order, ], y = train$y[order])
  test <- read(set$test, ncol(train$x))
  classes <- sort(unique(train$y))
  y <- match(train$y, classes)
  own <- cbind(seq_along(y), y)
  value <- if (kernel == "linear") function(a, b) a %*% t(b) else function(a, b) exp(-set$sigma * squares(a, b))
  object <- if (kernel == "linear") vanilladot() else rbfdot(sigma = set$sigma)
  model <- ksvm(train$x, factor(train$y), type = type, kernel = object, C = c, scaled = FALSE, tol = 1e-6, fit = FALSE)
  beta <- signed(type, alpha(model), y, length(classes))
  bias <- if (type == "kbb-svc") 1 else 0
  margin <- 1 + bias
  f <- (value(train$x, train$x) + bias) %*% beta
  hinges <- pmax(margin + f - f[own], 0)
  hinges[own] <- 0
  losses <- if (type == "kbb-svc") rowSums(hinges) else apply(hinges, 1, max)
  half <- sum(beta * f) / 2
  primal <- half + c * sum(losses)
  dual <- margin * sum(beta[own]) - half
  if (primal - dual >= GAP * dual) return(NULL)
  first <- test$x[1:ROWS, , drop = FALSE]
  list(
    type = type, file = paste0(set$train, ".libsvm.gz"), test = paste0(set$test, ".libsvm.gz"),
    kernel = if (kernel == "linear") kernel else sprintf("rbf(gamma=%s)", set$sigma), c = c, shuffles = shuffle,
    classes = classes, primal = primal, dual = dual,
    scores = as.vector(t((value(first, train$x) + bias) %*% beta)),
    predictions = as.double(as.character(predict(model, test$x)))
  )
}

# Seventeen digits bring a number back.
json <- function(value) {
  if (is.list(value)) {
    return(paste0("{", paste0("\"", names(value), "\":", sapply(value, json), collapse = ","), "}"))
  }
  if (is.character(value)) return(paste0("\"", value, "\""))
  text <- sapply(value, function(v) sub("^ +", "", format(v, digits = 17)))
  if (length(text) == 1) text else paste0("[", paste(text, collapse = ","), "]")
}

lines <- c()
for (set in SETS) for (kernel in c("linear", "rbf")) for (type in c("spoc-svc", "kbb-svc")) for (c in c(1, 10)) {
  case <- NULL
  for (shuffle in 0:SHUFFLES) if (is.null(case)) case <- answer(set, type, kernel, c, shuffle)
  if (is.null(case)) stop(paste("no optimal answer:", set$train, type, kernel, c))
  lines <- c(lines, json(case))
  cat(case$file, type, kernel, c, "gap", (case$primal - case$dual) / case$dual, "shuffles", case$shuffles, "\n")
}
head <- sprintf("{\"kernlab\":\"%s\",\"r\":\"%s\",\"cases\":[\n", packageVersion("kernlab"), getRversion())
cat(head, paste(lines, collapse = ",\n"), "\n]}\n", sep = "", file = file.path(here, "answers.json"))
cat(length(lines), "cases\n")
