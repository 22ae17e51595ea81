"""The figures that the README states, measured anew where the public question sets are at hand."""

from __future__ import annotations

import command_line_figures
import pytest
import shared_data

pytestmark = pytest.mark.skipif(
    not shared_data.available(), reason=f"NO QUESTION SETS at {shared_data.DATA}: figures are not checked"
)


def test_agent_recall_through_the_command_line():
    figures = command_line_figures.measure("agent-recall", 1)
    assert figures.questions == 50
    assert figures.hit_at_1 >= 0.85
    assert figures.mrr >= 0.87


def test_chinese_through_the_command_line():
    figures = command_line_figures.measure("cmrc2018-zh-trial", 20)
    assert figures.hit_at_1 >= 0.97
