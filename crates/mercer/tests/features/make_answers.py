"""Features of texts by scikit-learn's vectorizers, stored for tests/features.rs: python make_answers.py > answers.json."""

import json

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

TEXTS = [
    "The quick brown fox jumps over the lazy dog. The dog sleeps!",
    "Straße und ÄPFEL: 3 kg für 5€, don't_stop x y2k",
    "  tabs\tand\n\nnew   lines\x1c\x1dhere\u00a0and there ",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ İstanbul DŽ ﬁne",
    "हिन्दी भाषा का पाठ, ไทย ภาษา, 日本語のテキスト １２ ⅷ x² ½",
    "",
    "a I the fox and there",
    "e\u0301te\u0301 naïve co-op co-op co-op",
    "quick quick brown the the the fox 🦊🦊 fox",
]
NGRAMS = dict(ngram_range=(1, 2))
CASES = {
    "counts": CountVectorizer(),
    "counts(ngrams=1..3)": CountVectorizer(ngram_range=(1, 3)),
    "counts(binary=yes, lowercase=no)": CountVectorizer(binary=True, lowercase=False),
    "counts(ngrams=2..2, min_df=0)": CountVectorizer(ngram_range=(2, 2), min_df=0.0),
    "counts(unit=char, ngrams=1..3)": CountVectorizer(analyzer="char", ngram_range=(1, 3)),
    "counts(unit=char_wb, ngrams=2..5)": CountVectorizer(analyzer="char_wb", ngram_range=(2, 5)),
    "counts(min_df=2, max_df=0.3)": CountVectorizer(min_df=2, max_df=0.3),
    "tfidf": TfidfVectorizer(),
    "tfidf(ngrams=1..2)": TfidfVectorizer(**NGRAMS),
    "tfidf(sublinear=yes, norm=l1)": TfidfVectorizer(sublinear_tf=True, norm="l1"),
    "tfidf(smooth=no, norm=none)": TfidfVectorizer(smooth_idf=False, norm=None),
    "tfidf(binary=yes, unit=char_wb, ngrams=3..4)": TfidfVectorizer(binary=True, analyzer="char_wb", ngram_range=(3, 4)),
    "hashed": HashingVectorizer(),
    "hashed(bits=4, ngrams=1..2)": HashingVectorizer(n_features=16, **NGRAMS),
    "hashed(bits=3, signed=no, norm=none)": HashingVectorizer(n_features=8, alternate_sign=False, norm=None),
    "hashed(bits=5, binary=yes, unit=char, ngrams=2..3, norm=l1)": HashingVectorizer(
        n_features=32, binary=True, analyzer="char", ngram_range=(2, 3), norm="l1"
    ),
    "tfidf(bits=6)": make_pipeline(HashingVectorizer(n_features=64, norm=None), TfidfTransformer()),
    "tfidf(bits=5, signed=no, sublinear=yes)": make_pipeline(
        HashingVectorizer(n_features=32, norm=None, alternate_sign=False), TfidfTransformer(sublinear_tf=True)
    ),
}


def rows(matrix):
    matrix = matrix.tocsr()
    matrix.sort_indices()
    parts = (slice(a, b) for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:]))
    pairs = (zip(matrix.indices[part].tolist(), matrix.data[part].tolist()) for part in parts)
    return [[[k, float(v)] for k, v in row if v != 0.0] for row in pairs]


answers = []
for text, vectorizer in CASES.items():
    fitted = vectorizer.fit_transform(TEXTS[:7])
    names = vectorizer.get_feature_names_out().tolist() if hasattr(vectorizer, "vocabulary_") else []
    answers.append({"features": text, "vocabulary": names, "fitted": rows(fitted), "others": rows(vectorizer.transform(TEXTS[7:]))})
print(json.dumps({"texts": TEXTS, "answers": answers}))
