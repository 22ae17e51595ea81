"""What a command is given: the answer's stream, the environment, the engine."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from ats_cli.show.inert import one_line
from ats_cli.stdout import Answer

if TYPE_CHECKING:
    from ats_core.engine import Engine
    from ats_core.plugins.patience import Patience
    from ats_core.settings import Settings

    from ats_cli.show.activity import Activity
    from ats_cli.show.lines import Line


class Session:
    """One run of one command. `json` is true where the answer has to be one JSON document, errors included."""

    def __init__(self, answer: Answer, environ: Mapping[str, str], arguments: Sequence[str]) -> None:
        self.answer = answer
        self.environ = environ
        self.arguments = arguments
        self.json = "--json" in own_words(arguments)
        self.guarded = False
        self._has_loaded = False
        self._activity: Activity | None = None

    def guard(self) -> None:
        """From now on, and until the process ends, what anybody prints goes to stderr."""
        self.guarded = True
        sys.stdout = _named(sys.stderr)

    @contextlib.contextmanager
    def hushed(self) -> Iterator[None]:
        """While code of others is imported, what it prints goes to stderr."""
        before, sys.stdout = sys.stdout, _named(sys.stderr)
        try:
            yield
        finally:
            sys.stdout = before

    def open_engine(self, adapter: str | None, flags: Mapping[str, Any] | None = None) -> "Engine":
        """The engine for this call; each plugin that could not be loaded is a warning.

        :param flags: setting keys and the values that the call itself gave, None for not given.
        """
        from ats_core.engine import Engine

        self._has_loaded = True
        engine = Engine.open(
            environ=self.environ,
            adapter=adapter,
            flags=flags,
            on_fetch=lambda: self.doing("fetching the corpus"),
        )
        for broken in engine.broken:
            self.warn(str(broken), broken.hint)
        return engine

    def patience(self, settings: "Settings") -> "Patience":
        """What loads code of others whom nobody asked for: one that hangs is given up on."""
        from ats_core.plugins.patience import Patience, note_path

        self._has_loaded = True
        return Patience(note_path(settings.config_dir))

    @contextlib.contextmanager
    def doing(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """While something takes its time, show on a terminal what it is; within another such block, in its place.

        Gives `progress(done, total)`: a bar on a terminal, elsewhere a line of stderr now and then.
        """
        if self._activity is not None:
            with self._activity.renamed(what):
                yield self._activity.progress
        elif sys.stderr.isatty() and self.environ.get("TERM") != "dumb":
            from ats_cli.show.activity import Activity

            self._activity = Activity(what, self.environ)
            try:
                with self._activity as activity:
                    yield activity.progress
            finally:
                self._activity = None
        else:
            from ats_cli.show.pace import ProgressLines

            yield ProgressLines(what, self.complain)

    def write(self, text: str) -> None:
        """Write the answer."""
        self.answer.write(text)
        self.answer.flush()

    def write_json(self, document: Any) -> None:
        """Write the answer as one line of JSON."""
        from ats_cli.document import encode

        self.write(encode(document))

    def write_lines(self, lines: "Iterable[Line]") -> None:
        """Write the answer as text for people."""
        from ats_cli.show.paint import paint

        self.write(paint(lines, self.answer, self.environ))

    def warn(self, message: str, hint: str | None = None) -> None:
        """One line on stderr about what is amiss, though the answer goes on."""
        self.complain(f"warning: {message}", hint)

    def complain(self, message: str, hint: str | None = None) -> None:
        """One line on stderr."""
        self.tell(one_line(f"ats: {message} ({hint})" if hint else f"ats: {message}"))

    def tell(self, text: str) -> None:
        """Lines on stderr. Its reader may be gone, which harms nobody."""
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)

    @property
    def threads_left(self) -> bool:
        """Whether a search or a plugin left threads behind that a regular exit would wait for, or would end under.

        Daemon threads too: a thread pool's are joined at exit whatever they are.
        """
        return self._has_loaded and threading.active_count() > 1


def _named(stream: TextIO) -> TextIO:
    from ats_cli.printed import Printed

    return cast("TextIO", Printed(stream))


def own_words(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments before a `--`: those that may be options."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments
