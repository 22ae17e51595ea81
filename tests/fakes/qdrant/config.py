"""What a collection is made with, and how Qdrant tells it again."""

from __future__ import annotations

from typing import Any, NamedTuple

from .bodies import Fields, fields, natural
from .refusal import beyond, invalid, malformed, wrong_input

_FORBIDDEN_IN_NAMES = '<>:"/\\|?*\0\x1f'
_HNSW = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000, "max_indexing_threads": 0, "on_disk": False}
_OPTIMIZER = {
    "deleted_threshold": 0.2,
    "vacuum_min_vector_number": 1000,
    "default_segment_number": 0,
    "max_segment_size": None,
    "memmap_threshold": None,
    "indexing_threshold": 10000,
    "flush_interval_sec": 5,
    "max_optimization_threads": None,
}
_WAL = {"wal_capacity_mb": 32, "wal_segments_ahead": 0, "wal_retain_closed": 1}


class Space(NamedTuple):
    """The vectors of one name."""

    size: int
    cosine: bool

    def check(self, vector: list[float]) -> list[float]:
        if len(vector) != self.size:
            raise wrong_input(f"Vector dimension error: expected dim: {self.size}, got {len(vector)}")
        return vector


class Config(NamedTuple):
    """`spaces` by vector name, "" for the one without a name; `told` is `config` in the collection's description."""

    spaces: dict[str, Space]
    told: Fields

    def space(self, name: str) -> Space:
        if name not in self.spaces:
            raise wrong_input(f"Not existing vector name error: {name}")
        return self.spaces[name]


def check_name(name: str) -> None:
    """:raises Refusal: 422, a collection cannot be called that."""
    if not 1 <= len(name) <= 255:
        raise invalid("name", f'value "{name}" invalid, must be from 1 to 255 characters', "path parameters")
    for character in name:
        if character in _FORBIDDEN_IN_NAMES:
            raise invalid("name", f'collection name cannot contain "{character}" char', "path parameters")


def config(body: Any) -> Config:
    """From the body of `PUT /collections/{name}`.

    :raises Refusal: 400 or 422.
    """
    given = fields(
        body,
        *("vectors", "shard_number", "sharding_method", "replication_factor", "write_consistency_factor"),
        *("on_disk_payload", "hnsw_config", "wal_config", "optimizers_config", "quantization_config"),
        *("strict_mode_config", "metadata"),
    )
    vectors = given.get("vectors", {})
    if not isinstance(vectors, dict):
        raise malformed("data did not match any variant of untagged enum VectorsConfig")
    named = {"": vectors} if "size" in vectors else vectors
    params = {
        "vectors": _without_nulls(vectors),
        "shard_number": natural(given, "shard_number", 1),
        "replication_factor": natural(given, "replication_factor", 1),
        "write_consistency_factor": natural(given, "write_consistency_factor", 1),
        "on_disk_payload": given.get("on_disk_payload", True),
    }
    told = {
        "params": params,
        "hnsw_config": _HNSW | _without_nulls(given.get("hnsw_config", {})),
        "optimizer_config": _OPTIMIZER | _without_nulls(given.get("optimizers_config", {})),
        "wal_config": _WAL | _without_nulls(given.get("wal_config", {})),
        "quantization_config": given.get("quantization_config"),
    }
    metadata = {"metadata": given["metadata"]} if "metadata" in given else {}
    return Config({name: _space(params) for name, params in named.items()}, told | metadata)


def _space(params: Any) -> Space:
    present = fields(params, "size", "distance", "hnsw_config", "quantization_config", "on_disk", "datatype")
    size = natural(present, "size", 0, least=0)
    if not 1 <= size <= 65536:
        raise invalid("vectors.size", f"value {size} invalid, must be from 1 to 65536")
    distance = present.get("distance")
    if distance in ("Euclid", "Manhattan"):
        raise beyond(f"the distance {distance}")
    if distance not in ("Cosine", "Dot"):
        raise malformed(f"unknown variant `{distance}`, expected one of `Cosine`, `Euclid`, `Dot`, `Manhattan`")
    return Space(size, cosine=distance == "Cosine")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return value
