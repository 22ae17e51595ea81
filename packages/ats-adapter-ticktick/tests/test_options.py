"""The adapter's settings: where they come from, what a region changes, and what is said of a bad one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ats_adapter_ticktick import options
from ats_adapter_ticktick.options import Options
from ats_core import AdapterConfig, ConfigError, Secret

SECRET = "tp_c0ffee-not-to-be-seen"


def read(settings: dict[str, object] | None = None, **environ: str) -> Options:
    config = AdapterConfig(name="ticktick", settings=settings or {}, environ=environ, state_dir=Path("state"))
    return Options.read(config)


def refused(settings: dict[str, object] | None = None, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(settings, **environ)
    assert "\n" not in caught.value.message
    return caught.value.message


def test_nothing_set_gives_the_defaults() -> None:
    found = read()
    assert (found.region, found.token, found.client_id, found.client_secret) == ("ticktick", None, None, None)
    assert found.redirect_uri == "http://localhost:8765/callback"
    assert (found.wiki_project, found.completed_days, found.native_search) == ("Permanent Notes", 90, False)
    assert found.state_dir == Path("state")


@pytest.mark.parametrize(
    ("region", "hosts"),
    [
        ("ticktick", ("https://api.ticktick.com/open/v1", "https://ticktick.com", "https://ticktick.com")),
        ("dida365", ("https://api.dida365.com/open/v1", "https://dida365.com", "https://dida365.com")),
        (" Dida365 ", ("https://api.dida365.com/open/v1", "https://dida365.com", "https://dida365.com")),
    ],
)
def test_a_region_changes_all_hosts_together(region: str, hosts: tuple[str, str, str]) -> None:
    for found in (read({"region": region}), read(ATS_TICKTICK_REGION=region)):
        assert (found.api_url, found.oauth_url, found.web_url) == hosts
        assert found.region == region.strip().lower()


def test_the_environment_comes_before_the_settings_and_a_blank_variable_is_none() -> None:
    settings: dict[str, object] = {"token": "from-file", "wiki_project": "File", "completed_days": 7}
    found = read(settings, ATS_TICKTICK_TOKEN="from-env", ATS_WIKI_PROJECT="  ", ATS_TICKTICK_COMPLETED_DAYS="8")
    assert found.token == Secret("from-env")
    assert (found.wiki_project, found.completed_days) == ("File", 8)


@pytest.mark.parametrize("blank", ["", "  ", "\n", None])
def test_a_blank_setting_is_none(blank: str | None) -> None:
    assert read({"token": blank, "region": blank, "api_url": blank}) == read()


@pytest.mark.parametrize("pasted", [f"{SECRET}\n", f"  {SECRET}", f"\t{SECRET}\r\n"])
def test_a_token_is_trimmed(pasted: str) -> None:
    assert read(ATS_TICKTICK_TOKEN=pasted).token == Secret(SECRET)
    assert read({"token": pasted}).token == Secret(SECRET)


@pytest.mark.parametrize("middle", ["\n", " ", "\0", "ä", "\x7f", "\ud83d", "\u2028"])
@pytest.mark.parametrize("key", ["token", "client_secret"])
def test_a_secret_that_no_header_can_carry_is_refused_without_being_shown(key: str, middle: str) -> None:
    message = refused({key: f"{SECRET}{middle}{SECRET}"})
    assert message.startswith(f"ticktick.json: {key} is not usable, expected printable ASCII")
    assert SECRET not in message
    variable = f"ATS_TICKTICK_{key.upper()}"
    assert f"{variable} is not usable" in refused(None, **{variable: f"{SECRET}{middle}{SECRET}"})


def test_secrets_are_in_no_repr() -> None:
    found = read(ATS_TICKTICK_TOKEN=SECRET, ATS_TICKTICK_CLIENT_SECRET=SECRET)
    assert found.token is not None
    assert found.token.value == SECRET
    assert SECRET not in f"{found!r} {found}"


def test_a_file_may_hold_numbers_and_truth_values() -> None:
    found = read({"wiki_project": 2024, "completed_days": 30, "native_search": True, "client_id": 42})
    assert (found.wiki_project, found.completed_days, found.native_search, found.client_id) == ("2024", 30, True, "42")
    assert not read({"native_search": 0}).native_search


@pytest.mark.parametrize("name", ["👩\u200d💻 Notes", "日本語", "@home", "100 % (draft)"])
def test_a_list_may_have_any_name(name: str) -> None:
    assert read(ATS_WIKI_PROJECT=name).wiki_project == name


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("https://api.example.org/open/v1/", "https://api.example.org/open/v1"),
        ("http://127.0.0.1:8080/open/v1", "http://127.0.0.1:8080/open/v1"),
        ("HTTP://localhost:8080", "http://localhost:8080"),
        (" http://[::1]:80/x// ", "http://[::1]:80/x"),
    ],
)
def test_an_address_takes_the_place_of_the_regions(value: str, kept: str) -> None:
    found = read({"api_url": value}, ATS_TICKTICK_OAUTH_URL=value)
    assert found.api_url == found.oauth_url == kept
    assert found.web_url == "https://ticktick.com"


@pytest.mark.parametrize("value", ["http://api.ticktick.com/open/v1", "http://192.168.1.7:8080", "http://0.0.0.0"])
def test_no_token_travels_in_the_clear(value: str) -> None:
    message = refused(ATS_TICKTICK_API_URL=value)
    assert message == f"ATS_TICKTICK_API_URL is {value!r}, expected an https address (http only for this machine)"
    assert "oauth_url" in refused({"oauth_url": value})


@pytest.mark.parametrize(
    "value",
    [
        *("api.ticktick.com", "ftp://a", "https://", "https:///open", "https://a:99999", "https://a:0", "https://[::1"),
        *("https://a b", "https://a?x=1", "https://a#x", "https://a\nb", 8080, True, ["https://a"]),
    ],
)
def test_what_is_no_address_is_refused(value: object) -> None:
    assert refused({"api_url": value}).startswith("ticktick.json: api_url is ")


@pytest.mark.parametrize(
    "value", [f"https://anna:{SECRET}@api.example.org", f"anna:{SECRET}@host", f"https://api.example.org/?key={SECRET}"]
)
def test_a_password_in_an_address_is_not_shown(value: str) -> None:
    assert SECRET not in refused(ATS_TICKTICK_API_URL=value)


def test_the_redirect_address_is_kept_byte_for_byte() -> None:
    for value in ("http://localhost:8765/callback/", "http://127.0.0.1/x?a=b", "https://Example.org/Back"):
        assert read({"redirect_uri": value}).redirect_uri == value
    assert "ATS_TICKTICK_REDIRECT_URI is 'localhost:8765'" in refused(ATS_TICKTICK_REDIRECT_URI="localhost:8765")


@pytest.mark.parametrize("value", ["0", "3651", "-1", "ninety", "1.5", "9" * 5000])
def test_days_are_a_whole_number_in_range(value: str) -> None:
    message = refused(ATS_TICKTICK_COMPLETED_DAYS=value)
    assert message.endswith("expected a whole number from 1 to 3650")
    assert len(message) < 200
    assert read(ATS_TICKTICK_COMPLETED_DAYS="1").completed_days == 1
    assert read({"completed_days": 3650}).completed_days == 3650


@pytest.mark.parametrize("value", [True, 1.5, [90], "1e2"])
def test_days_in_the_file_are_no_other_type(value: object) -> None:
    assert f"ticktick.json: completed_days is {value!r}" in refused({"completed_days": value})


def test_a_bad_switch_or_region_is_named_with_its_value() -> None:
    assert refused(ATS_TICKTICK_NATIVE_SEARCH="maybe") == "ATS_TICKTICK_NATIVE_SEARCH is 'maybe', expected 1 or 0"
    assert refused({"region": "china"}) == "ticktick.json: region is 'china', expected ticktick or dida365"


def test_messages_name_the_file_of_the_adapter() -> None:
    with pytest.raises(ConfigError, match=r"^work\.json: region is "):
        Options.read(AdapterConfig(name="work", settings={"region": "x"}))


def test_the_settings_are_listed_with_the_secret_ones_marked() -> None:
    listed = options.settings()
    assert {setting.key for setting in listed if setting.secret} == {"token", "client_secret"}
    assert {setting.key for setting in listed} == {*Options._fields} - {"web_url", "state_dir"}
    assert all(setting.env and setting.help for setting in listed)


def test_reading_the_settings_imports_nothing_that_takes_time() -> None:
    script = (
        "import sys\n"
        "from ats_core import AdapterConfig\n"
        "from ats_adapter_ticktick.options import Options\n"
        "Options.read(AdapterConfig(name='ticktick'))\n"
        "print([name for name in ('httpx', 'socket', 'ssl', 'json') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
