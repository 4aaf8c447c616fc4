"""The vaults, and the questions whose right answers are known.

Generated vaults come from the seeded generator in tests/src, so everybody measures the same pages. Others come from the
folder UBP_CORPORA: vaults that people wrote, and test collections whose texts become pages.
"""

import csv
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field

from contestants.base import STOP_WORDS, UNSPACED

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Size of a generated page in bytes, as in the other benches.
PAGE_BYTES = 2800
COLLECTIONS = ["cranfield", "med", "cisi", "adi", "scifact-train", "jsquad-valid-ja"]
VAULTS = {"obsidian-help-en": "obsidian-help/en", "obsidian-help-ja": "obsidian-help/ja", "scale-10k": "scale-10k"}


@dataclass
class Question:
    text: str
    # Grade of every relevant page, by its path.
    grades: dict


@dataclass
class Vault:
    name: str
    folder: pathlib.Path
    questions: list
    # Pages that link to a page, for vaults whose links need no rules to resolve.
    backlinks: dict = field(default_factory=dict)
    # Whether its pages are in a script without spaces.
    unspaced: bool = False
    # Whether speed is measured too, and not only ranking.
    timed: bool = True

    def pages(self):
        return sorted(str(path.relative_to(self.folder)) for path in markdown(self.folder))

    def copy(self, target):
        target.mkdir(parents=True)
        for page in self.pages():
            (target / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / page, target / page)
        # Makes it a vault for programs that look for this folder.
        (target / ".obsidian").mkdir()


def markdown(folder):
    return [path for path in folder.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(folder).parts)]


def generated(count, cache, most):
    """A vault of the repository's generator, kept in the cache as long as the generator does not change."""
    sources = [ROOT / "tests/src/generator.rs", *sorted((ROOT / "tests/src/generator").glob("*.rs"))]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    folder = cache / f"vaults/generated-{count}-{PAGE_BYTES}-{digest}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        make = ["cargo", "run", "--quiet", "--manifest-path", ROOT / "Cargo.toml", "-p", "ubp-tests", "--no-default-features"]
        subprocess.run([*make, "--bin", "make-vault", "--", unfinished, str(count), str(PAGE_BYTES)], check=True)
        unfinished.rename(folder)
    chance = random.Random(count)
    texts = {str(path.relative_to(folder)): path.read_text() for path in markdown(folder)}
    backlinks = {page: set() for page in texts}
    for page, text in texts.items():
        for target in re.findall(r"\[\[(area-\d+/page-\d+)", text):
            if f"{target}.md" != page:
                backlinks[f"{target}.md"].add(page)
    questions = [Question(remembered(texts[page], chance), {page: 1}) for page in chance.sample(sorted(texts), min(most, len(texts)))]
    return Vault(f"generated, {count:,} pages", folder, questions, backlinks)


def remembered(text, chance):
    """What somebody remembers of a page: four longer words of two of its sentences, in another order."""
    body = re.sub(r"\[\[[^\]]*\]\]|^---.*?^---|^#.*?$", " ", text, flags=re.MULTILINE | re.DOTALL)
    sentences = [sentence for sentence in re.split(r"[.!?]\s", body) if len(sentence.split()) > 4]
    words = re.findall(r"[a-z]{4,}", " ".join(chance.sample(sentences, min(2, len(sentences)))).lower())
    words = [word for word in dict.fromkeys(words) if word not in STOP_WORDS]
    return " ".join(chance.sample(words, min(4, len(words))))


def collection(folder, cache, most):
    """A test collection: each text becomes a page with its title as heading."""
    target = cache / "vaults" / folder.name
    if not target.exists():
        unfinished = target.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for document in lines(folder / "corpus.jsonl"):
            heading = f"# {document['title'].strip()}\n\n" if document.get("title", "").strip() else ""
            (unfinished / page_of(document["id"])).write_text(f"{heading}{document['text'].strip()}\n")
        unfinished.rename(target)
    grades = {}
    with open(folder / "qrels.tsv") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if int(row["score"]) > 0:
                grades.setdefault(row["query-id"], {})[page_of(row["corpus-id"])] = int(row["score"])
    asked = [Question(query["text"], grades[query["id"]]) for query in lines(folder / "queries.jsonl") if query["id"] in grades]
    if len(asked) > most:
        asked = random.Random(folder.name).sample(asked, most)
    return Vault(folder.name, target, asked, unspaced=folder.name.endswith("-ja"), timed=False)


def page_of(identifier):
    return f"text-{re.sub(r'[^A-Za-z0-9]+', '-', str(identifier)).lower()}.md"


def lines(file):
    with open(file) as text:
        return [json.loads(line) for line in text if line.strip()]


def written(name, folder, most):
    """A vault that people wrote. Its questions are names of pages, headings, and texts of links, as `ubp eval --names` asks."""
    texts = {str(path.relative_to(folder)): path.read_text(errors="replace") for path in markdown(folder)}
    stems, headings, anchors = {}, {}, {}
    for page, text in texts.items():
        stems.setdefault(pathlib.PurePath(page).stem, set()).add(page)
        for heading in re.findall(r"^#{1,6} +(.+?)\s*#*$", text, re.MULTILINE):
            headings.setdefault(heading, set()).add(page)
    for text in texts.values():
        for target, said in re.findall(r"(?<!!)\[\[([^\]|#]+)(?:#[^\]|]*)?\|([^\]|]+)\]\]", text):
            anchors.setdefault(said.strip(), set()).update(stems.get(target.strip().rpartition("/")[2], {None}))
    chance = random.Random(name)
    several = re.compile(rf"\S+\s+\S+|[{UNSPACED}]{{4,}}")
    kinds = [
        stems,
        {said: pages for said, pages in headings.items() if said not in stems and several.search(said) and "[" not in said},
        {said: pages for said, pages in anchors.items() if said not in stems and said not in headings},
    ]
    questions = []
    for kind in kinds:
        sure = sorted((said, pages) for said, pages in kind.items() if len(pages) == 1 and None not in pages)
        questions += [Question(said, dict.fromkeys(pages, 1)) for said, pages in chance.sample(sure, min(most // 3, len(sure)))]
    japanese = sum(bool(re.search(f"[{UNSPACED}]", text)) for text in texts.values())
    return Vault(name, folder, questions, unspaced=japanese * 2 > len(texts))


def find(wanted, corpora, cache, most):
    """The vaults of these names. `generated-N` is a generated one; the others are in `corpora`."""
    for name in wanted:
        if name.startswith("generated-"):
            yield generated(int(name.removeprefix("generated-")), cache, most)
        elif name in VAULTS:
            yield written(name, corpora / "vaults" / VAULTS[name], most)
        else:
            yield collection(corpora / "ir" / name, cache, most)


def known(corpora):
    """Names of the vaults that can be measured here."""
    names = ["generated-1000", "generated-10000"]
    if corpora is not None:
        names += [name for name, place in VAULTS.items() if (corpora / "vaults" / place).is_dir()]
        names += [name for name in COLLECTIONS if (corpora / "ir" / name / "corpus.jsonl").is_file()]
    return names
