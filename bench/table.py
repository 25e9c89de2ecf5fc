"""Turns the numbers of bench/run.py into the table that is printed and that stands in
docs/performance.md, and says which targets are met. All parts of make bench write their tables with it."""
import re

NGINXES = ("nginx", "nginx, memory kept")
BYTE_MOVERS = ("nginx", "relay")  # neither looks at the bodies
ORDER = ("Toolgate", "nginx", "nginx, memory kept", "relay", "Portkey")


def number(value):
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def rows_of(report):
    """(label, values by rival, Toolgate's ratios to the others)."""
    for name, workload in report["workloads"].items():
        unit = workload["unit"]
        ratios = workload["ratios"].get("Toolgate", {})
        yield f"{name}: CPU per {unit}, µs", workload["cpu_us"], ratios
        yield f"{name}: {unit}s/s", workload["per_second"], {}
        yield f"{name}: latency p50, µs", workload["p50_us"], {}
        yield f"{name}: latency p99, µs", workload["p99_us"], {}
        yield f"{name}: proxy core busy, %", workload["busy_percent"], {}
    for label, key in (("RSS idle, MB", "idle_megabytes"),
                       ("RSS with 1,000 open streams, MB", "streams_megabytes"),
                       ("RSS after the load above, MB", "loaded_megabytes"),
                       ("ready after start, ms", "ready_ms")):
        yield label, report[key], {}


def main_table(report):
    names = [name for name in ORDER if name in report["versions"]]
    lines = ["| | " + " | ".join(names) + " | Toolgate ÷ nginx | ÷ nginx, memory kept "
             "| Portkey ÷ Toolgate |", "|---|" + "---:|" * (len(names) + 3)]
    for label, values, ratios in rows_of(report):
        cells = [number(values.get(name)) for name in names]
        cells += [f"{ratios[name]:.2f}" if name in ratios else "" for name in NGINXES]
        cells.append(f"{1 / ratios['Portkey']:.1f}" if "Portkey" in ratios else "")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return lines


def target_table(report):
    lines = ["| target | limit | measured | |", "|---|---:|---:|---|"]
    for target in report["targets"]:
        verdict = "met" if target["met"] else "**missed**"
        verdict += "".join(f"; {name}: {number(value)}" for name, value in target["others"].items())
        lines.append(f"| {target['name']} | {target['limit']} | {number(target['measured'])} "
                     f"| {verdict} |")
    return lines


def is_missed(target):
    """What those that do not look at bodies miss too is not held against a gateway."""
    return not target["met"] and target["reachable"]


def targets_of(report):
    """What the project promises, beside what was measured; nothing for what was not measured."""
    targets = []

    def add(name, limit, measured, met, others=()):
        if measured is not None:
            targets.append({"name": name, "limit": limit, "measured": measured,
                            "met": met(measured), "others": dict(others),
                            "reachable": all(met(value) for _, value in others)})

    for name, workload in report["workloads"].items():
        if workload["fresh"]:
            continue
        limit = 2.0 if workload["unit"] == "chunk" else 1.5
        add(f"CPU per {workload['unit']} against nginx, {name}", f"≤ {limit:g}×",
            workload["ratios"].get("Toolgate", {}).get("nginx"),
            lambda value, limit=limit: value <= limit)
    for name, workload in report["workloads"].items():
        less = {rival: 1 / ratios["Portkey"] for rival, ratios in workload["ratios"].items()
                if "Portkey" in ratios}
        add(f"CPU per {workload['unit']}, times less than Portkey, {name}", "≥ 40×",
            less.get("Toolgate"), lambda value: value >= 40,
            [(mover, less[mover]) for mover in BYTE_MOVERS if mover in less])
    add("RSS idle, MB", "≤ 20", report["idle_megabytes"].get("Toolgate"), lambda v: v <= 20)
    add("RSS with 1,000 open streams, MB", "≤ 100", report["streams_megabytes"].get("Toolgate"),
        lambda v: v <= 100)
    add("ready after start, ms", "≤ 50", report["ready_ms"].get("Toolgate"), lambda v: v <= 50)
    return targets


def as_markdown(report):
    machine = report["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [f"Made by `{report['command']}` on {report['date']}: {machine['cpu']}, "
             f"{machine['cores']} cores, Linux {machine['kernel']}; {versions}; "
             f"median of {report['rounds']} rounds of {report['seconds']:g} s. Other programs took "
             f"{report['others_percent']:.0f} % of the proxy's core meanwhile.", ""]
    lines += main_table(report) + [""]
    if report["targets"]:
        lines += target_table(report)
    return "\n".join(lines).rstrip() + "\n"


def write_between(path, part, table):
    """Puts the table between the marks <!-- part:begin --> and <!-- part:end -->."""
    begin, end = f"<!-- {part}:begin -->", f"<!-- {part}:end -->"
    text = path.read_text()
    if begin not in text or end not in text:
        raise SystemExit(f"{path} lacks the marks {begin} and {end}")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    path.write_text(pattern.sub(lambda _: f"{begin}\n{table}{end}", text))
