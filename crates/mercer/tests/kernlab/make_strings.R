# kernlab's values of `stringdot` for spectrum and bounded range, stored: writes `strings.json` beside this file.
#
#     Rscript crates/mercer/tests/kernlab/make_strings.R
#
# It needs R and the package kernlab, and no other.
#
# {"kernlab": VERSION, "r": VERSION, "strings": [...], "cases": [CASE, ...]}. A CASE:
#
#   type        `spectrum` or `boundrange`
#   length      p
#   values      k(s, t) of strings 1 1, 1 2, ..., 1 n, 2 2, ..., n n, not normalised
#   normalized  the same by `normalized = TRUE`
#
# What was found about kernlab 0.9-32, by its source and by these values:
#
# - It puts a newline after each string before it counts, so that every string ends with the same letter: its k(s, t) is the
#   definition's k(s"\n", t"\n"). "car" and "cat" have 3 letters in common, not 2. Bounded range counts the words of 1 ... p letters.
# - It counts bytes, but takes the length of a string in characters: only ASCII is right.
# - `normalized = TRUE` divides by the root of k(s, s) k(t, t), but takes k(s, s) with `lambda` in place of `length`: values are not
#   symmetric unless both are the same. So `lambda` is p here; neither kernel uses it otherwise.
# - An empty string makes it read memory that it does not own, and R ends. There is none among the strings.
# - `type = "string"` has no gaps, so there is no value to compare a subsequence kernel with.

suppressMessages(library(kernlab))

LENGTHS <- 1:5
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))

set.seed(15)
drawn <- function(letters, n) paste(sample(letters, n, replace = TRUE), collapse = "")
strings <- c(
  "a", "ab", "car", "cat", "aaaaa", "abababab",
  "science is organized knowledge", "wisdom is organized life",
  drawn(c("A", "C", "G", "T"), 40), drawn(c("A", "C", "G", "T"), 65), drawn(c("a", "b"), 30), drawn(letters, 50)
)

values <- function(kernel) {
  pairs <- lapply(seq_along(strings), function(i) sapply(i:length(strings), function(j) kernel(strings[i], strings[j])))
  paste0("[", paste(sprintf("%.17g", unlist(pairs)), collapse = ","), "]")
}
case <- function(type, length) {
  kernel <- function(normalized) stringdot(type = type, length = length, lambda = length, normalized = normalized)
  # A warning says that a string is shorter than p, and 0 is the value.
  suppressWarnings(sprintf(
    '{"type":"%s","length":%d,"values":%s,\n"normalized":%s}',
    type, length, values(kernel(FALSE)), values(kernel(TRUE))
  ))
}
cases <- unlist(lapply(c("spectrum", "boundrange"), function(type) sapply(LENGTHS, function(p) case(type, p))))
head <- sprintf(
  '{"kernlab":"%s","r":"%s","strings":[%s],"cases":[',
  packageVersion("kernlab"), getRversion(), paste0('"', strings, '"', collapse = ",")
)
writeLines(c(head, paste(cases, collapse = ",\n"), "]}"), file.path(here, "strings.json"))
