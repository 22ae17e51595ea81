"""The adapter keeps the contract: with a token, with everything else that it can do, and with vectors of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from ats_adapter_ticktick import TickTickAdapter
from ats_core.conformance import AdapterContract, Subject
from ats_core.testing import make_engine
from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant
from fakes.ticktick import FakeTickTick


def subject_of(service: FakeTickTick, state_dir: Path, environ: Mapping[str, str]) -> Subject:
    own = {"ATS_TICKTICK_API_URL": service.api_url, "ATS_TICKTICK_TOKEN": "token-a"}
    return Subject(
        TickTickAdapter, name="ticktick", environ=own | dict(environ), state_dir=state_dir, write=True, project="w"
    )


class TestWithAToken(AdapterContract):
    @pytest.fixture
    def subject(self, service: FakeTickTick, tmp_path: Path) -> Subject:
        return subject_of(service, tmp_path / "state", {})


class TestWithTheServicesSearch(AdapterContract):
    @pytest.fixture
    def subject(self, service: FakeTickTick, tmp_path: Path) -> Subject:
        return subject_of(service, tmp_path / "state", {"ATS_TICKTICK_NATIVE_SEARCH": "1"})


class TestWithVectors(AdapterContract):
    @pytest.fixture(params=["files", "Qdrant"])
    def subject(self, request: pytest.FixtureRequest, service: FakeTickTick, tmp_path: Path) -> Iterator[Subject]:
        with FakeOllama(models={"nomic-embed-text:latest": 32}) as ollama, FakeQdrant(api_key="q-key") as qdrant:
            environ = {"OLLAMA_HOST": ollama.url, "ATS_EMBED_MODEL": "nomic-embed-text", "ATS_COSINE_FLOOR": "-1"}
            if request.param == "Qdrant":
                environ |= {"ATS_QDRANT_URL": qdrant.url, "ATS_QDRANT_API_KEY": "q-key"}
            subject = subject_of(service, tmp_path / "state", environ)
            make_engine(TickTickAdapter(subject.config)).state.sync()
            yield subject
