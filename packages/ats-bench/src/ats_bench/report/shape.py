"""A scored run as a JSON document: section 11 of the design, and what goes beyond it."""

from __future__ import annotations

from typing import Any

from ats_bench.scoring import Contrast, Coverage, Group, MethodScore, Scores


def document(scores: Scores) -> dict[str, Any]:
    """`runs` by method: `overall`, `byTag`, `coverage`, as the design says. Numbers are unrounded."""
    header = scores.run.header
    return {
        "run": {
            "folder": str(scores.run.folder),
            "started": header.started,
            "finished": header.finished,
            "adapter": header.adapter,
            "corpus": header.corpus,
            "questions": header.questions,
            "versions": header.versions,
            "settings": header.settings,
            "spaces": header.spaces,
            "seed": scores.seed,
            "missing": scores.run.missing,
            "damaged": scores.run.damaged,
        },
        "runs": {name: _method(method) for name, method in scores.methods.items()},
        "comparisons": [contrast_shape(contrast) for contrast in scores.contrasts],
    }


def contrast_shape(contrast: Contrast) -> dict[str, Any]:
    return {
        "method": contrast.method,
        "against": contrast.against,
        "measure": contrast.measure,
        "n": contrast.n,
        "difference": contrast.difference,
        "ci95": contrast.ci95,
        "p": contrast.p,
        "pHolm": contrast.p_holm,
        "differenceShown": contrast.shown,
    }


def _method(method: MethodScore) -> dict[str, Any]:
    return {
        "overall": _group(method.overall),
        "byTag": {tag: _group(group) for tag, group in method.by_tag.items()},
        "coverage": _coverage(method.coverage),
        "noAnswer": {
            "n": method.no_answer.n,
            "verdicts": method.no_answer.verdicts,
            "strongOrModerate": method.no_answer.sure,
            "ci95": method.no_answer.ci95,
        },
        "recallAtRank": method.curve,
        "latencyMs": {
            "calls": len(method.latency.sample),
            "p50": method.latency.quantile(0.5),
            "p95": method.latency.quantile(0.95),
        },
    }


def _group(group: Group) -> dict[str, Any]:
    return {"n": group.n, **group.means, "ci95": group.ci95}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    fields = coverage._asdict()
    return {"noAnswer" if name == "no_answer" else name: value for name, value in fields.items()}
