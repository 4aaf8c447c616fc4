"""The figures as Markdown tables, made from what `rounds.record` returns."""

import statistics


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def milliseconds(seconds):
    value = seconds * 1000
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def megabytes(count):
    return "–" if count is None else f"{count / 1e6:,.0f}" if count >= 1e7 or count == 0 else f"{count / 1e6:.1f}"


def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def build(row):
    return f"{seconds(row['build'][0])} ({seconds(row['build cpu'][0])})" if row["build"][0] else "0"


def latency(name, cpu=None):
    def show(row):
        spread = f"{milliseconds(statistics.median(row[name]))} / {milliseconds(percentile(row[name], 0.95))}"
        return spread + (f" ({milliseconds(statistics.mean(row[cpu]))})" if cpu else "")

    return show


def median_with_cpu(name, cpu):
    return lambda row: f"{milliseconds(statistics.median(row[name]))} ({milliseconds(statistics.mean(row[cpu]))})"


def backlinks(row):
    right = statistics.mean(row["backlinks right"])
    return milliseconds(statistics.median(row["backlinks"])) + ("" if right == 1 else f", {right:.0%} right")


# Marks in `failures`: a contestant that cannot take part, and something that a program does not offer.
ABSENT = "not installed"
NO_SUCH_THING = "none"

# Heading, figure that must be there, measurement whose failure explains its absence, and how it is shown.
SPEED = [
    ("build, s (CPU)", "build", "build", build),
    ("peak, MB", "build peak", "build", lambda row: megabytes(row["build peak"][0])),
    ("index, MB", "size", "build", lambda row: megabytes(row["size"][0])),
    ("new process, ms (CPU)", "cold", "cold", median_with_cpu("cold", "cold cpu")),
    ("server p50 / p95, ms (CPU)", "warm", "warm", latency("warm", "warm cpu")),
    ("backlinks, ms", "backlinks", "backlinks", backlinks),
    ("changed page, ms", "changed", "changed", lambda row: milliseconds(statistics.median(row["changed"]))),
    ("server, MB", "server peak", "start", lambda row: megabytes(row["server peak"][0])),
]


def cell(row, figure, measurement, show):
    """A figure, or a word for its absence, which `remarks` explains."""
    failures = row["failures"]
    if row["figures"].get(figure):
        return show(row["figures"])
    if failures.get(measurement) == NO_SUCH_THING or not {ABSENT, "build", "start", measurement} & set(failures):
        return "–"
    return ABSENT if ABSENT in failures else "failed"


def speed(record):
    """The table of one vault whose speed was measured."""
    text = ["| | " + " | ".join(heading for heading, *_ in SPEED) + " |", "|---" * (len(SPEED) + 1) + "|"]
    for row in record["rows"]:
        if ABSENT in row["failures"]:
            text.append(f"| {row['name']} | {ABSENT}" + " | –" * (len(SPEED) - 1) + " |")
        elif row["figures"].get("build") or "build" in row["failures"]:
            text.append(f"| {row['name']} | " + " | ".join(cell(row, *column) for _, *column in SPEED) + " |")
    return "\n".join(text)


def ranking(records):
    """nDCG@10 and hit@1 of every contestant on every vault; a star marks a ranking of fewer questions than the others had."""
    names = list(dict.fromkeys(row["name"] for record in records for row in record["rows"]))
    text = ["| | " + " | ".join(f"{one['vault']} ({one['questions']})" for one in records) + " |"]
    text.append("|---" * (len(records) + 1) + "|")
    for name in names:
        cells = []
        for record in records:
            row = next((row for row in record["rows"] if row["name"] == name), {"figures": {}, "failures": {}})
            star = "*" if len(row["figures"].get("ndcg", [])) < record["questions"] else ""
            show = lambda figures: f"{statistics.mean(figures['ndcg']):.3f} / {statistics.mean(figures['hit']):.2f}{star}"
            cells.append(cell(row, "ndcg", "ranking", show))
        text.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(text)


def remarks(records):
    """Why figures are missing or rest on less, one line for each contestant and reason."""
    found = {}
    for record in records:
        for row in record["rows"]:
            reasons = [(what, why) for what, why in row["failures"].items() if why != NO_SUCH_THING]
            for figure, what in (("cold", "new process"), ("warm", "server"), ("backlinks", "backlinks"), ("changed", "changed page"), ("ndcg", "ranking")):
                count = len(row["figures"].get(figure, []))
                most = max(len(other["figures"].get(figure, [])) for other in record["rows"])
                if 0 < count < most and not row["failures"]:
                    reasons.append((what, f"its time was used up after {count} of {most} queries"))
            for what, why in reasons:
                found.setdefault((row["name"], what, why), []).append(record["vault"])
    return [f"- {name}, {what} ({', '.join(where)}): {reason}" for (name, what, reason), where in found.items()]
