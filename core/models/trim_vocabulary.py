"""Which pieces of a tokenizer stay in the model inside the program: see `vocabulary`.

A piece that goes is written with shorter ones. Pieces are chosen by how much the word lists of wordfreq
use them, and not by the probability that the tokenizer gives them: that is over a hundred languages, and
would take pieces that are common in English together with such that are rare everywhere.
"""

import collections
import unicodedata

import numpy as np
import wordfreq
from tokenizers import Tokenizer, models

# How Unicode begins the names of letters.
ALPHABETS = {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI"}
EAST_ASIAN = {"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"}
# Pieces in all, and how many of them are precise.
PIECES, PRECISE = 130_000, 23_000
# Longer East Asian pieces that are rarer than this (a natural logarithm) go.
RAREST = -15.0
# Signs and digits, which word lists do not have, are precise if they are more frequent than this.
FREQUENT = -12.0
# The most frequent words of a language that count.
WORDS = collections.defaultdict(lambda: 60_000, {"de": 300_000, "en": 300_000})
# How much a language counts for whether a piece stays. English is mixed into most technical texts.
IMPORTANCE = collections.defaultdict(lambda: 1, {"en": 100, "de": 40, "fr": 12, "es": 12, "ja": 12, "zh": 12, "ko": 12})
IMPORTANCE |= {"ru": 8, "it": 8, "pt": 8, "nl": 4, "pl": 4}
# The same for whether it is precise.
MOST = 16
# Languages whose words are written without spaces.
UNSPACED = {"ja", "zh"}
# Languages in scripts of which only characters stay.
LEFT_OUT = {"bn", "ta"}
# Share of words that no space precedes, but a bracket, a sign of Markdown or another word.
JOINED = 0.15


def kind(piece):
    """"single" for a character alone, "signs" without letters, "east_asian", "alphabet" or "other" by its letters."""
    text = piece.replace("▁", "")
    letters = {unicodedata.name(c, "?").split()[0] for c in text if c.isalpha()}
    if len(text) <= 1:
        return "single"
    if not letters:
        return "signs"
    if letters & EAST_ASIAN:
        return "east_asian"
    return "alphabet" if letters <= ALPHABETS else "other"


def forms(word, language):
    """How the word is written, with shares: as listed, with a capital, or in capitals, as short names are."""
    if language in UNSPACED:
        return {word: 1.0}
    capital, capitals = 0.4 if language == "de" else 0.2, 0.1 if len(word) <= 5 else 0.02
    shares = collections.defaultdict(float)
    cases = {word: 1 - capital - capitals, word[:1].upper() + word[1:]: capital, word.upper(): capitals}
    for form, share in cases.items():
        shares[f"▁{form}"] += share * (1 - JOINED)
        shares[form] += share * JOINED
    return shares


def usage(tokenizer, size, language):
    """Per piece, its share of the tokens of the language."""
    listed = wordfreq.get_frequency_dict(language, "best").items()
    words = sorted(listed, key=lambda entry: (-entry[1], entry[0]))[: WORDS[language]]
    texts = [(form, frequency * share) for word, frequency in words for form, share in forms(word, language).items()]
    used = np.zeros(size)
    for encoding, (_, weight) in zip(tokenizer.encode_batch([form for form, _ in texts]), texts):
        for token in encoding.ids:
            used[token] += weight
    return used / used.sum()


def vocabulary(pieces, scores, special):
    """The pieces that stay, as their numbers: the first `special` ones first, then the precise ones, then the rest.

    Every single character stays, whatever its script, so that text in any script has tokens. So does what
    has no letters, and nearly all of Han, kana and Hangul.
    """
    unknown = pieces.index("<unk>")
    listed = [(piece, float(score)) for piece, score in zip(pieces, scores)]
    tokenizer = Tokenizer(models.Unigram(listed, unk_id=unknown, byte_fallback=False))
    important, balanced = np.zeros(len(pieces)), np.zeros(len(pieces))
    for language in sorted(wordfreq.available_languages("best")):
        if language not in LEFT_OUT:
            used = usage(tokenizer, len(pieces), language)
            important += used * IMPORTANCE[language]
            balanced += used * min(IMPORTANCE[language], MOST)
    kinds = np.array([kind(piece) for piece in pieces])
    stay = (kinds == "single") | (kinds == "signs") | ((kinds == "east_asian") & (scores > RAREST))
    stay[:special] = True
    # A sentence encoder has nothing to fill in.
    stay[pieces.index("<mask>")] = False

    def ranked(used):
        return sorted(range(special, len(pieces)), key=lambda i: (-used[i], -scores[i], i))

    candidates = [i for i in ranked(important) if kinds[i] == "alphabet" and not stay[i]]
    stay[candidates[: PIECES - stay.sum()]] = True
    order = [i for i in ranked(balanced) if stay[i]]
    letterless = np.array([not any(c.isalpha() for c in piece) for piece in pieces])
    first = [i for i in order if letterless[i] and scores[i] > FREQUENT]
    behind = set(first)
    return np.array([*range(special), *first, *(i for i in order if i not in behind)])
