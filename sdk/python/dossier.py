"""Client of Dossier: collect applications, follow events without gaps, verify webhooks, send applications, share profiles.

One file, standard library only, Python 3.8 and newer: copy it into your project.

    dossier = Dossier("https://jobs.example.com", credential="sws_...")
    for batch in dossier.events.follow(cursor=load()):
        with database:  # one transaction holds the effect and the cursor: each event takes effect exactly once
            for event in batch.events:
                apply(event)
            save(batch.cursor)
"""

import base64
import datetime
import email.utils
import functools
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

__all__ = [
    *["Batch", "Dossier", "DossierError", "File", "FileCursorStore", "Gap", "Retry", "Stop"],
    *["remove_file", "time_of", "verify_webhook"],
]

Json = Dict[str, Any]
Id = Union[int, str]


class DossierError(Exception):
    """Every failure of this module.

    `code` is stable: a problem code of the service, an OAuth error, or one of this module: network (no complete response),
    bad-response (a response that is not the service's), bad-settings, webhook-rejected, callback-rejected, cursor-in-use.
    `status` is None if there was no response; the operator finds the request in the log by `request_id`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: Optional[int] = None,
        problem: Optional[Json] = None,
        retry_after: Optional[float] = None,
    ):
        super().__init__(message)
        problem = problem or {}
        self.code = code
        self.status = status
        self.detail = problem.get("detail") or problem.get("error_description")
        self.request_id = problem.get("requestId")
        self.errors = problem.get("errors") or []
        self.retry_after = retry_after


class Stopped(Exception):
    """Raised inside of this module when a Stop was set; loops end without an error."""


class Stop:
    """Ends `follow` from another thread or a signal handler: `stop.set()` also breaks off the request that waits."""

    def __init__(self) -> None:
        # No threading.Event: a signal handler that sets it may interrupt the thread that holds its lock.
        self._is_set = False
        self._opened: Dict[int, List[socket.socket]] = {}

    def set(self) -> None:
        self._is_set = True
        for each in [one for opened in list(self._opened.values()) for one in opened]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def is_set(self) -> bool:
        return self._is_set


class Retry(NamedTuple):
    """Passed to `on_retry` before each retry."""

    error: DossierError
    failures: int
    elapsed: float
    pause: float


class Batch(NamedTuple):
    """Events, and the cursor to store together with their effect. `events` is empty if the cursor alone has moved."""

    events: List[Json]
    cursor: str


class Gap(NamedTuple):
    """Something may be missing: `reason` is cursor-too-old (events were removed before they were read) or restored."""

    reason: str
    detail: str


class File(NamedTuple):
    """A downloaded file. It is complete, and its SHA-256 is the one that the service gave; an infected one is empty."""

    name: str
    content_type: str
    content: bytes
    hash: str
    is_infected: bool
    type: Optional[str] = None

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it under its final name only when it is complete, and beside it, in a file that ends in `.part`, until then.

        What a killed program leaves there is removed by `remove_file`, and when following starts with a `FileCursorStore` of
        the same folder.
        """
        _replace(pathlib.Path(path), self.content)


class _Answer(NamedTuple):
    status: int
    headers: Any
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise DossierError("bad-response", "the response is not JSON", self.status) from None


class _Transport:
    """Sends requests, and repeats those that failed temporarily."""

    def __init__(self, base_url: str, on_retry: Optional[Callable[[Retry], None]]):
        self.base_url = base_url.rstrip("/")
        self.on_retry = on_retry

    def send(
        self,
        path: Union[str, Callable[[], str]],
        body: Optional[bytes] = None,
        *,
        method: Optional[str] = None,
        headers: Union[Dict[str, str], Callable[[], Dict[str, str]], None] = None,
        authorization: Optional["_Authorization"] = None,
        read: Callable[[Any], Any] = lambda response: _Answer(response.status, response.headers, response.read()),
        is_repeatable: bool = True,
        tries: float = 5,
        timeout: float = 60,
        stop: Optional[Stop] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> Any:
        failures, is_renewed = 0, False
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            credential = None
            request = urllib.request.Request(self.base_url + (path() if callable(path) else path), body, method=method)
            request.add_header("Accept", "application/json")
            for name, value in ((headers() if callable(headers) else headers) or {}).items():
                request.add_header(name, value)
            started = time.monotonic()
            try:
                if authorization:
                    credential = authorization.get(stop)
                    # Not sent on to the file store of the operator if a download is handed over to it.
                    request.add_unredirected_header("Authorization", credential)
                return self._attempt(request, read, timeout, stop)
            except DossierError as error:
                if error.status == 401 and not is_renewed and credential and authorization.forget(credential):
                    is_renewed = True
                    continue
                failures += 1
                if failures >= tries or not _is_temporary(error, is_repeatable):
                    raise
                retry = Retry(error, failures, time.monotonic() - started, _pause_after(error, failures))
            for tell in (on_retry, self.on_retry):
                if tell:
                    tell(retry)
            _pause(retry.pause, stop)

    @staticmethod
    def _attempt(request: urllib.request.Request, read: Callable[[Any], Any], timeout: float, stop: Optional[Stop]) -> Any:
        """Reading the body is part of the attempt, because the connection may break half-way."""
        stop = stop or Stop()
        opened: List[socket.socket] = []
        stop._opened[id(opened)] = opened
        opener = urllib.request.build_opener(_Watched(opened, stop), _WatchedTls(opened, stop), _Handover)
        try:
            with opener.open(request, timeout=timeout) as response:
                return read(response)
        except urllib.error.HTTPError as error:
            raise _error_of(error) from None
        except (OSError, http.client.HTTPException) as error:
            if stop.is_set():
                raise Stopped from None
            raise DossierError("network", f"no complete response: {error}") from error
        finally:
            del stop._opened[id(opened)]


class _Handover(urllib.request.HTTPRedirectHandler):
    """A download from the operator's file store keeps the ETag that the service gave."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        if code != 302 or req.get_method() != "GET":
            raise urllib.error.HTTPError(req.full_url, code, msg, headers, fp)
        redirected = urllib.request.Request(newurl)
        redirected.etag = headers.get("ETag")  # type: ignore[attr-defined]
        return redirected

    def http_response(self, request, response):  # type: ignore[no-untyped-def]
        if getattr(request, "etag", None):
            del response.headers["ETag"]
            response.headers["ETag"] = request.etag
        return response

    https_response = http_response


def _watched(kind: Any, opened: List[socket.socket], stop: Stop) -> Any:
    """A connection that adds its socket to `opened`, so that another thread can shut it down."""

    class Connection(kind):  # type: ignore[misc]
        def connect(self) -> None:
            super().connect()
            opened.append(self.sock)
            if stop.is_set():
                raise ConnectionAbortedError

    return Connection


class _Watched(urllib.request.HTTPHandler):
    def __init__(self, opened: List[socket.socket], stop: Stop):
        super().__init__()
        self._connection = _watched(http.client.HTTPConnection, opened, stop)

    def http_open(self, req):  # type: ignore[no-untyped-def]
        return self.do_open(self._connection, req)


class _WatchedTls(urllib.request.HTTPSHandler):
    def __init__(self, opened: List[socket.socket], stop: Stop):
        super().__init__()
        self._connection = _watched(http.client.HTTPSConnection, opened, stop)

    def https_open(self, req):  # type: ignore[no-untyped-def]
        return self.do_open(self._connection, req, context=_tls())


@functools.lru_cache(maxsize=None)
def _tls() -> ssl.SSLContext:
    """Loading the certificates of the machine takes longer than most requests."""
    return ssl.create_default_context()


def _error_of(response: urllib.error.HTTPError) -> DossierError:
    """Reads a problem (RFC 9457) or an OAuth error. Proxies answer in other forms: those are named by their status."""
    try:
        problem = json.loads(response.read())
    except (ValueError, OSError, http.client.HTTPException):
        problem = None
    problem = problem if isinstance(problem, dict) else {}
    code = problem.get("code") or problem.get("error") or f"status-{response.code}"
    detail = problem.get("detail") or problem.get("error_description")
    message = f"{response.code} {code}" + (f": {detail}" if detail else "")
    return DossierError(code, message, response.code, problem, _seconds_in(response.headers.get("Retry-After")))


def _seconds_in(header: Optional[str]) -> Optional[float]:
    """Retry-After is a number of seconds, or a date."""
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _is_temporary(error: DossierError, is_repeatable: bool) -> bool:
    """Whether a later attempt may succeed. A file that waits for the scanner is left to the caller."""
    if error.code == "not-yet-scanned":
        return False
    if error.code == "idempotency-key-in-use" or error.status == 429:
        return True
    return is_repeatable and (error.code in ("network", "bad-response") or error.status == 408 or (error.status or 0) >= 500)


def _pause_after(error: DossierError, failures: int) -> float:
    if error.retry_after is None:
        return random.random() * min(30, 0.5 * 2 ** min(failures, 10))
    # A little later than told, so that callers who were told the same do not come back together.
    return min(60, error.retry_after) + random.random() / 4


def _pause(seconds: float, stop: Optional[Stop]) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if stop is not None and stop.is_set():
            raise Stopped
        time.sleep(max(0, min(0.1, ends - time.monotonic())))


class _Authorization:
    """The value of the Authorization header."""

    def __init__(self, value: Optional[str], missing: str = "credential"):
        self._value, self._missing = value, missing

    def get(self, _stop: Optional[Stop] = None) -> str:
        if self._value is None:
            raise DossierError("bad-settings", f"this call needs the argument {self._missing} of Dossier")
        return self._value

    def forget(self, _value: Optional[str]) -> bool:
        """Makes the next value a new one. False if there is no other."""
        return False


class _Tokens:
    """Gets tokens of the client itself (client_credentials) and keeps them until shortly before they expire."""

    def __init__(self, transport: _Transport, client_id: str, client_secret: str):
        self.transport, self.client_id, self._client_secret = transport, client_id, client_secret

    def request(self, fields: Dict[str, str], **options: Any) -> Json:
        pair = urllib.parse.quote(self.client_id, safe="") + ":" + urllib.parse.quote(self._client_secret, safe="")
        headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
        body = urllib.parse.urlencode(fields).encode()
        return self.transport.send("/api/iam/oauth2/token", body, headers=headers, **options).json()


class _TokenAuthorization(_Authorization):
    def __init__(self, tokens: _Tokens, scheme: str, **fields: str):
        super().__init__(None)
        self._tokens, self._scheme, self._fields = tokens, scheme, fields
        self._until = 0.0
        self._lock = threading.Lock()

    def get(self, stop: Optional[Stop] = None) -> str:
        with self._lock:
            # Tokens last 20 minutes: one that is nearly over is renewed before it is used.
            if self._value is None or time.monotonic() >= self._until:
                # The call that needs it is repeated, as often as that call may be.
                token = self._tokens.request({"grant_type": "client_credentials", **self._fields}, tries=1, stop=stop)
                self._value = f"{self._scheme} {token['access_token']}"
                self._until = time.monotonic() + token["expires_in"] - 60
            return self._value

    def forget(self, value: Optional[str]) -> bool:
        with self._lock:
            if self._value == value:
                self._value = None
        return True


class _Feed:
    """Reads pages of a stream of events. Reading changes nothing, so it retries without end."""

    def __init__(self, transport: _Transport, authorization: _Authorization, path: str):
        self._transport, self._authorization, self._path = transport, authorization, path
        # Shorter than the service allows if a proxy in between has cut waits, for all that follow.
        self._longest_wait = 50
        self._cuts = 0

    def page(
        self,
        cursor: str,
        wait: int,
        query: Optional[Json] = None,
        stop: Optional[Stop] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> Json:
        def path() -> str:
            whole = {"cursor": cursor, **(query or {}), "wait": min(wait, self._longest_wait)}
            return f"{self._path}?{urllib.parse.urlencode(whole)}"

        def note_cut(retry: Retry) -> None:
            """Halves the waits after two that ended without a response, and not at once."""
            waited = min(wait, self._longest_wait)
            is_cut = retry.error.code == "network" or retry.error.status in (408, 502, 504, 524)
            if is_cut and retry.elapsed >= waited / 10:
                self._cuts += 1
                if self._cuts == 2:
                    self._cuts = 0
                    self._longest_wait = 25 if waited > 25 else max(1, waited // 2)
            if on_retry:
                on_retry(retry)

        def read(response: Any) -> Json:
            page = _Answer(response.status, response.headers, response.read()).json()
            # A proxy may answer 200 with a page of its own, which must not be taken for an empty one.
            if isinstance(page, dict) and isinstance(page.get("events"), list) and page.get("cursor"):
                return page
            raise DossierError("bad-response", "the response is not a page of events")

        started = time.monotonic()
        page = self._transport.send(
            path,
            authorization=self._authorization,
            read=read,
            tries=float("inf"),
            timeout=wait + 15,
            stop=stop,
            on_retry=note_cut,
        )
        # A wait that was answered at its end shows that waits of this length come through.
        if not page["events"] and time.monotonic() - started > 0.9 * min(wait, self._longest_wait):
            self._cuts = 0
        return page

    def batches(
        self,
        cursor: str,
        wait: int = 45,
        limit: Optional[int] = None,
        types: Optional[Sequence[str]] = None,
        include: Optional[str] = None,
        stop: Optional[Stop] = None,
        on_gap: Optional[Callable[[Gap], None]] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> Iterator[Batch]:
        """Asks for the next page only when the loop asks for the next batch: nothing is fetched ahead."""
        chosen = {"limit": limit, "types": ",".join(types) if types else None, "include": include}
        query = {name: value for name, value in chosen.items() if value is not None}
        longest_wait = min(50, max(1, round(wait)))
        early = 0
        try:
            while not (stop and stop.is_set()):
                # The cursor of this moment is there at once.
                wait = 0 if cursor == "now" else longest_wait
                started = time.monotonic()
                try:
                    page = self.page(cursor, wait, query, stop, on_retry)
                except DossierError as error:
                    if error.status != 410 or on_gap is None:
                        raise
                    on_gap(Gap("cursor-too-old", str(error)))
                    cursor = "start"
                    continue
                events = page["events"]
                if events and page["cursor"] == cursor:
                    raise DossierError("bad-response", "a page of events came with the cursor that was asked for")
                early = early + 1 if not events and time.monotonic() - started < wait / 10 else 0
                if events or page["cursor"] != cursor:
                    yield Batch(events, page["cursor"])
                cursor = page["cursor"]
                # Two empty answers that came early are a coincidence; whatever gives more of them is left in peace.
                if early >= 2:
                    _pause(min(15, 2 ** min(early - 2, 10)), stop)
        except Stopped:
            return


class Events:
    """The changes of one stream, in the order in which they happened."""

    def __init__(self, feed: _Feed):
        self._feed = feed

    def follow(self, cursor: Optional[str] = None, **options: Any) -> Any:
        """Yields batches without end. Store the effect of a batch and its cursor in one transaction.

        `cursor` is that of the last batch that was stored; None begins now, with an empty batch; "start" begins with the
        oldest event kept. Options: types, include="application,answers" or one of them, limit (100), wait (45 seconds), stop, on_gap, on_retry.

        Where there is no transaction, give `cursor_store` and `on_event` instead: the cursor is saved after the last event of
        a batch, so each event is handled at least once. `start` is where to begin if the store is empty: "now" or "start".
        """
        if "on_event" in options:
            return self._handle(**options)
        return self._feed.batches(cursor or "now", **options)

    def _handle(
        self,
        on_event: Callable[[Json], None],
        cursor_store: "FileCursorStore",
        start: str = "now",
        stop: Optional[Stop] = None,
        **options: Any,
    ) -> None:
        stored = cursor_store.load()
        try:
            for batch in self._feed.batches(stored or start, stop=stop, **options):
                for event in batch.events:
                    if stop and stop.is_set():
                        return
                    on_event(event)
                cursor_store.save(batch.cursor)
        finally:
            cursor_store.release()


class Applications:
    """The advertiser's applications (version 1)."""

    def __init__(self, transport: _Transport, authorization: _Authorization, feed: _Feed, **patience: Any):
        self._transport, self._authorization, self._feed = transport, authorization, feed
        # How often a call is repeated, and who is told.
        self._patience = patience

    def list(self, after_id: Id = 0, page_size: int = 500, stop: Optional[Stop] = None, **filters: Any) -> Iterator[Json]:
        """All that match, ascending by ID. Filters: before_id, after_date, before_date, include."""
        is_last = False
        while not is_last:
            page, is_last = self.page(after_id, page_size, stop, **filters)
            yield from page
            after_id = page[-1]["ID"] if page else after_id

    def page(self, after_id: Id = 0, page_size: int = 500, stop: Optional[Stop] = None, **filters: Any) -> Any:
        """One page, and whether it is the last one."""
        chosen = {name.replace("_", ""): value for name, value in filters.items() if value is not None}
        query = {"limit": page_size, "afterid": after_id, **chosen}
        answer = self._get(f"?{urllib.parse.urlencode(query)}", stop=stop)
        page = answer.json()["JobApplications"]["JobApplicationsList"]
        has_next = re.search(r';\s*rel="?next"?', answer.headers.get("Link", ""))
        return page, not (has_next and page)

    def get(self, application_id: Id, stop: Optional[Stop] = None, include: Optional[str] = None) -> Json:
        query = "?" + urllib.parse.urlencode({"include": include}) if include else ""
        return self._get(f"/{_quoted(application_id)}{query}", stop=stop).json()

    def screen(self, application_id: Id, stop: Optional[Stop] = None) -> Json:
        """The screening answers."""
        return self._get(f"/screen/{_quoted(application_id)}", stop=stop).json()

    def answers(self, application_id: Id, stop: Optional[Stop] = None) -> Json:
        """The same answers with their kinds, typed values and your references."""
        return self._get(f"/{_quoted(application_id)}/answers", stop=stop).json()

    def resume(self, application_id: Id, stop: Optional[Stop] = None) -> File:
        return self._download("resume", application_id, stop)

    def cover_letter(self, application_id: Id, stop: Optional[Stop] = None) -> File:
        return self._download("coverLetter", application_id, stop)

    def selection_criteria(self, application_id: Id, stop: Optional[Stop] = None) -> File:
        return self._download("selectionCriteria", application_id, stop)

    def follow(
        self,
        cursor_store: "FileCursorStore",
        on_application: Callable[[Json], None],
        on_erased: Callable[[int], None],
        on_withdrawn: Optional[Callable[[int], None]] = None,
        on_file: Optional[Callable[[File, Json], None]] = None,
        on_gap: Optional[Callable[[Gap], None]] = None,
        stop: Optional[Stop] = None,
        **options: Any,
    ) -> None:
        """Keeps a copy of all applications in step: a first synchronisation, then every change as it happens.

        It synchronises again if the cursor has become too old. Every handler may be called again with the same after a crash
        or a gap: write what it gets over what you have. Without `on_file` no file is downloaded.
        """
        handlers = {
            "application": on_application,
            "erased": on_erased,
            "withdrawn": on_withdrawn or (lambda _id: None),
            "gap": on_gap or (lambda _gap: None),
            "file": on_file,
        }
        patience = {"tries": float("inf"), "on_retry": options.get("on_retry")}
        patient = Applications(self._transport, self._authorization, self._feed, **patience)
        _InStep(patient, self._feed, cursor_store, handlers, stop, options).run()

    def _get(self, path: str, **options: Any) -> Any:
        whole, options = "/v1/advertiser/applications" + path, {**self._patience, **options}
        return self._transport.send(whole, authorization=self._authorization, **options)

    def _download(self, kind: str, application_id: Id, stop: Optional[Stop]) -> File:
        file = _download(self._get, f"/{kind.lower()}/{_quoted(application_id)}", stop)
        return file._replace(type=kind)


class _InStep:
    def __init__(
        self,
        applications: Applications,
        feed: _Feed,
        store: Any,
        handlers: Dict[str, Any],
        stop: Optional[Stop],
        options: Json,
    ):
        self._applications, self._feed, self._store = applications, feed, store
        self._on, self._stop, self._options = handlers, stop, options
        # The cursor; up to which ID applications are known; whether the list is still being read, up to there so far; and
        # whether the withdrawals before the cursor have been reported (positions that release 0.1.0 stored lack it).
        self._position: Json = {}
        # Applications come with what events have of them.
        self._as_in_events = {"include": "primaryjobseekinginfo", "stop": stop}

    def run(self) -> None:
        stored = self._store.load()
        try:
            if stored is None:
                self._restart()
            else:
                self._position = self._position_in(stored)
            while not (self._stop and self._stop.is_set()):
                try:
                    if self._position.get("isReading"):
                        self._read_list()
                    if not self._position.get("hasWithdrawals"):
                        self._report_withdrawals()
                        self._save(**self._position, hasWithdrawals=True)
                    self._follow()
                    return
                except DossierError as error:
                    if error.status != 410:
                        raise
                    self._on["gap"](Gap("cursor-too-old", str(error)))
                    self._restart()
        except Stopped:
            return
        finally:
            self._store.release()

    @staticmethod
    def _position_in(stored: str) -> Json:
        try:
            position = json.loads(stored)
            if isinstance(position["cursor"], str) and isinstance(position["after"], int):
                return position
        except (ValueError, TypeError, KeyError):
            pass
        raise DossierError("bad-settings", "the store holds a cursor of events: use another one here")

    def _save(self, **position: Any) -> None:
        self._position = position
        self._store.save(json.dumps(position))

    def _restart(self) -> None:
        """The cursor comes first, so that nothing can happen between the list and the events."""
        page = self._feed.page("now", 0, stop=self._stop, on_retry=self._options.get("on_retry"))
        self._save(cursor=page["cursor"], after=0, isReading=True)

    def _read_list(self) -> None:
        cursor, after, is_last = self._position["cursor"], self._position["after"], False
        while not is_last:
            page, is_last = self._applications.page(after, **self._as_in_events)
            for application in page:
                self._tell(application)
            after = page[-1]["ID"] if page else after
            if is_last:
                self._save(cursor=cursor, after=after)
            else:
                self._save(cursor=cursor, after=after, isReading=True)

    def _report_withdrawals(self) -> None:
        """The list doesn't show who has withdrawn: those that are not erased yet are among the events that are kept."""
        query = {"limit": 1000, "types": "application.withdrawn"}
        cursor, more = "start", True
        while more:
            page = self._feed.page(cursor, 0, query, self._stop, self._options.get("on_retry"))
            for event in page["events"]:
                if event["type"] == "application.withdrawn":
                    self._on["withdrawn"](event["data"]["applicationId"])
            cursor, more = page["cursor"], page["more"]

    def _follow(self) -> None:
        known = self._position["after"]
        for batch in self._feed.batches(self._position["cursor"], include="application", stop=self._stop, **self._options):
            for event in batch.events:
                if self._stop and self._stop.is_set():
                    return
                known = self._apply(event, known)
            self._save(cursor=batch.cursor, after=known, hasWithdrawals=True)

    def _apply(self, event: Json, known: int) -> int:
        """Returns the highest ID that is known afterwards."""
        kind, data = event["type"], event["data"]
        if kind in ("application.created", "application.imported"):
            if data["applicationId"] <= known:
                return known
            self._tell_current(event)
            return data["applicationId"]
        if kind == "attachment.scanned":
            self._tell_current(event, data["attachmentType"])
        elif kind == "application.erased":
            self._on["erased"](data["applicationId"])
        elif kind == "application.withdrawn":
            self._on["withdrawn"](data["applicationId"])
        elif kind == "stream.restored":
            self._on["gap"](Gap("restored", "since " + data["since"]))
            # The newest applications, as the service has them now: what it lost happened shortly before. A day before, in
            # the zone of version 1, which is ten hours ahead.
            since = datetime.datetime.fromisoformat(data["since"].replace("Z", "+00:00"))
            after_date = (since - datetime.timedelta(hours=14)).strftime("%Y-%m-%dT%H:%M:%S")
            for application in self._applications.list(after_date=after_date, **self._as_in_events):
                self._tell(application)
            self._report_withdrawals()
        return known

    def _tell_current(self, event: Json, only_type: Optional[str] = None) -> None:
        application = event.get("application")
        if application is None:
            wanted = event["data"]["applicationId"]
            get = functools.partial(self._applications.get, **self._as_in_events)
            application = _ignoring(("not-found",), get, wanted)
        # One that was erased since is followed by its erasure.
        if application is not None and not _is_erased(application):
            self._tell(application, only_type)

    def _tell(self, application: Json, only_type: Optional[str] = None) -> None:
        if _is_erased(application):
            return self._on["erased"](application["ID"])
        self._on["application"](application)
        for kind in [each["Type"] for each in application["Attachments"]] if self._on["file"] else []:
            if kind == "screen" or (only_type is not None and kind != only_type):
                continue
            # A file that waits for the scanner has an event of its own later.
            codes = ("not-found", "not-yet-scanned", "file-not-judged")
            file = _ignoring(codes, self._applications._download, kind, application["ID"], self._stop)
            if file is not None:
                self._on["file"](file, application)


def _is_erased(application: Json) -> bool:
    """Erasure leaves the ID and the date."""
    return application["Email"] + application["FirstName"] + application["LastName"] == ""


def _ignoring(codes: Sequence[str], call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except DossierError as error:
        if error.code not in codes:
            raise
        return None


def _download(send: Callable[..., Any], path: str, stop: Optional[Stop]) -> File:
    """Downloads a file. After a broken connection it continues where it was, if it is still the same file."""
    content = bytearray()
    tag = ""

    def headers() -> Dict[str, str]:
        # One byte that is here already, because a range that begins behind the last byte is an error.
        ranges = {"Range": f"bytes={len(content) - 1}-", "If-Range": tag} if content else {}
        return {"Accept": "*/*", **ranges}

    def read(response: Any) -> File:
        nonlocal tag
        start = f"bytes {len(content) - 1}-"
        is_rest = response.status == 206 and response.headers.get("Content-Range", "").startswith(start)
        del content[len(content) - 1 if is_rest else 0 :]
        tag = response.headers.get("ETag", "")
        received = 0
        for chunk in iter(lambda: response.read(65536), b""):
            received += len(chunk)
            content.extend(chunk)
        if received < int(response.headers.get("Content-Length") or 0):
            raise DossierError("network", "the file ended before its end")
        digest = hashlib.sha256(content).hexdigest()
        expected = re.fullmatch(r'(?:W/)?"([0-9a-f]{64})"', tag)
        if expected and digest != expected[1]:
            content.clear()
            raise DossierError("bad-response", "the file is not the one that its ETag names", response.status)
        name = _name_in(response.headers.get("Content-Disposition", ""))
        kind = response.headers.get("Content-Type", "application/octet-stream")
        return File(name, kind, bytes(content), digest, response.headers.get("X-Has-Virus") == "true")

    return send(path, headers=headers, read=read, stop=stop)


def _name_in(disposition: str) -> str:
    """The name under which a file was sent, without anything that could lead out of a folder."""
    encoded = re.search(r"filename\*=UTF-8''([^;]*)", disposition)
    plain = re.search(r'filename=(?:"([^"]*)"|([^;]*))', disposition)
    name = urllib.parse.unquote(encoded[1]) if encoded else (plain[1] or plain[2] or "") if plain else ""
    return re.sub(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]', "_", name) or "file"


def _list_by_id(send: Callable[..., Any], path: str, key: str, filters: Optional[Json] = None) -> Iterator[Json]:
    """Everything of a list, ascending by ID. A page is requested when the loop needs it."""
    after_id, is_last = 0, False
    while not is_last:
        answer = send(f"{path}?{urllib.parse.urlencode({**(filters or {}), 'afterId': after_id})}")
        entries = answer.json()[key]
        yield from entries
        is_last = not (entries and re.search(r';\s*rel="?next"?', answer.headers.get("Link", "")))
        after_id = entries[-1]["id"] if entries else after_id


class Advertisers:
    """The advertisers that authorise the agent of this client."""

    def __init__(self, transport: _Transport, authorization: _Authorization):
        self._send = functools.partial(transport.send, authorization=authorization)

    def list(self) -> Iterator[Json]:
        """All of them, ascending by ID."""
        return _list_by_id(self._send, "/v1/agent/advertisers", "advertisers")


class Progress:
    """Reports how applications go on."""

    def __init__(self, transport: _Transport, authorization: _Authorization, path: str):
        self._send = functools.partial(transport.send, path, authorization=authorization)

    def report(
        self, entries: Sequence[Json], stop: Optional[Stop] = None, on_retry: Optional[Callable[[Retry], None]] = None
    ) -> List[Json]:
        """Any number of entries, in their order; returns one result for each, with its ID and "result".

        A result of "refused" has the "code" and "detail" of the cause; nothing was changed then.

        Repeating them is harmless, so after an error send all of them again.
        """
        results: List[Json] = []
        for start in range(0, len(entries), 100):
            body = json.dumps({"entries": entries[start : start + 100]}).encode()
            headers = {"Content-Type": "application/json"}
            results += self._send(body, headers=headers, stop=stop, on_retry=on_retry).json()["results"]
        return results


class _Postings:
    """Job ads, or questionnaires: both have the same calls."""

    def __init__(self, transport: _Transport, authorization: _Authorization, path: str, key: str):
        self._send = functools.partial(transport.send, authorization=authorization)
        self._path, self._key = f"/v1/intake/{path}", key

    def create(self, posting: Json, idempotency_key: Optional[str] = None) -> Json:
        headers = {"Content-Type": "application/json", "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._send(self._path, json.dumps(posting).encode(), headers=headers).json()

    def list(self, advertiser_id: Id, reference: Optional[str] = None) -> Iterator[Json]:
        """All of the advertiser, ascending by ID."""
        filters = {"advertiserId": advertiser_id, **({} if reference is None else {"reference": reference})}
        return _list_by_id(self._send, self._path, self._key, filters)

    def get(self, advertiser_id: Id, posting_id: Id) -> Json:
        return self._send(f"{self._path}/{_quoted(posting_id)}?advertiserId={_quoted(advertiser_id)}").json()

    def replace(self, posting_id: Id, posting: Json) -> Json:
        """Replaces the whole: a field that is left out is cleared."""
        path, body = f"{self._path}/{_quoted(posting_id)}", json.dumps(posting).encode()
        return self._send(path, body, method="PUT", headers={"Content-Type": "application/json"}).json()

    def close(self, advertiser_id: Id, posting_id: Id) -> Json:
        return self._turn("close", advertiser_id, posting_id)

    def open(self, advertiser_id: Id, posting_id: Id) -> Json:
        return self._turn("open", advertiser_id, posting_id)

    def _turn(self, how: str, advertiser_id: Id, posting_id: Id) -> Json:
        path = f"{self._path}/{_quoted(posting_id)}/{how}?advertiserId={_quoted(advertiser_id)}"
        return self._send(path, method="POST").json()


class Intake:
    """Sends applications, and manages ads and questionnaires, for the advertisers listed on the client."""

    def __init__(self, transport: _Transport, authorization: _Authorization):
        self._send = functools.partial(transport.send, authorization=authorization)
        self.job_ads = _Postings(transport, authorization, "job-ads", "jobAds")
        self.screens = _Postings(transport, authorization, "screens", "screens")

    def submit(
        self, application: Json, files: Optional[Dict[str, Any]] = None, idempotency_key: Optional[str] = None
    ) -> Json:
        """Sends an application. `files` maps resume, coverLetter, selectionCriteria and answer-3 to pairs of name and bytes.

        Store the key before you send, so that a program that was killed can send again without creating a second
        application. By default it is a new one, which covers the retries of this call. `wasReplayed` in the result tells
        whether an earlier request with the same key had created the application.
        """
        boundary = uuid.uuid4().hex
        # The service reads the JSON before the files.
        parts = [('name="application"', "application/json", json.dumps(application).encode())]
        for part, (name, content) in (files or {}).items():
            safe = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", " ").replace("\n", " ")
            parts.append((f'name="{part}"; filename="{safe}"', "application/octet-stream", content))
        body = b""
        for disposition, kind, content in parts:
            head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: {kind}\r\n\r\n"
            body += head.encode() + content + b"\r\n"
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Idempotency-Key": idempotency_key or str(uuid.uuid4()),
        }
        answer = self._send("/v1/intake/applications", body + f"--{boundary}--\r\n".encode(), headers=headers)
        return {**answer.json(), "wasReplayed": answer.headers.get("Idempotent-Replayed") == "true"}

    def get(self, application_id: Id) -> Json:
        """The verdicts on the files of an application that this client sent."""
        return self._send(f"/v1/intake/applications/{_quoted(application_id)}").json()


class SharedProfile:
    """What one candidate released, for 20 minutes."""

    def __init__(self, transport: _Transport, token: str):
        self.token = token
        self._send = functools.partial(transport.send, authorization=_Authorization(f"Bearer {token}"))

    def prefill(self, request: Json) -> Json:
        """The same advertiser and form again return the same application, with fresh data."""
        headers, body = {"Content-Type": "application/json"}, json.dumps(request).encode()
        return self._send("/v2/applications/prefilled", body, headers=headers).json()

    def resume(self, prefill: Json) -> Optional[File]:
        """None if there is no resume, or none was released."""
        if prefill["resume"] is None:
            return None
        # The token goes to this service alone, whatever the link says.
        resume_id = urllib.parse.urlsplit(prefill["resume"]["link"]).path.split("/")[-1]
        return _download(self._send, f"/v2/resumes/{resume_id}", None)


class Sharing:
    """"Apply with" on a careers page: a candidate shares their profile (version 2)."""

    def __init__(self, transport: _Transport, tokens: _Tokens, own: _Authorization):
        self._transport, self._tokens, self._own = transport, tokens, own

    def begin(self, redirect_uri: str, **options: Any) -> Any:
        """Where to send the candidate, and what `finish` needs when they come back: keep it in their session, it is secret.

        Options: advertiser_id, prompt, max_age, login_hint.
        """
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._tokens.client_id,
            "redirect_uri": redirect_uri,
            "scope": "r_profile_apply",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **options,
        }
        url = f"{self._tokens.transport.base_url}/api/iam/oauth2/authorize?{urllib.parse.urlencode(query)}"
        return url, {"state": state, "codeVerifier": verifier, "redirectUri": redirect_uri}

    def finish(self, callback_url: str, pending: Json) -> SharedProfile:
        """Exchanges the code with which the candidate came back.

        A code buys one token, so this is never repeated: after an error begin again, which is a single redirect while the
        consent is remembered. If the candidate declined, the error's code is access_denied.
        """
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(callback_url).query))
        if query.get("state") != pending["state"]:
            raise DossierError("callback-rejected", "the state is not the one of this candidate")
        if query.get("iss") != self._tokens.transport.base_url:
            raise DossierError("callback-rejected", "the candidate was not sent back by this service")
        if "error" in query:
            raise DossierError(query["error"], f"nothing was shared: {query.get('error_description', query['error'])}")
        fields = {
            "grant_type": "authorization_code",
            "code": query.get("code", ""),
            "redirect_uri": pending["redirectUri"],
            "code_verifier": pending["codeVerifier"],
        }
        return self.profile(self._tokens.request(fields, is_repeatable=False)["access_token"])

    def profile(self, token: str) -> SharedProfile:
        """A profile whose token you kept."""
        return SharedProfile(self._transport, token)

    def complete(self, prefill: Union[str, Json], date: Optional[datetime.datetime] = None) -> None:
        """Reports that the candidate has submitted your form. Works days later too, and repeating it is harmless."""
        prefill_id = prefill if isinstance(prefill, str) else prefill["complete"].split("/")[-2]
        moment = date or datetime.datetime.now(datetime.timezone.utc)
        body = json.dumps({"completionDate": moment.isoformat()}).encode()
        path, headers = f"/v2/applications/{_quoted(prefill_id)}/complete", {"Content-Type": "application/json"}
        self._transport.send(path, body, headers=headers, authorization=self._own)


class Dossier:
    """A client of one Dossier service.

    With `credential` (sws_...) it reads the advertiser's `applications` and `events`, and reports their `progress`; so does
    an agent's client with `advertiser_id`. A client also has `intake` (scope w_applications), `sharing`, and `client_events`:
    what happens to the data that it got from candidates, whose `client_progress` it reports. An agent's client (scope m_webhooks) has `advertisers`: those that authorise it.
    """

    def __init__(
        self,
        base_url: str,
        credential: Optional[str] = None,
        client_id: Optional[str] = None,
        client_secret: str = "",
        advertiser_id: Optional[Id] = None,
        auth_url: Optional[str] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
    ):
        transport = _Transport(base_url, on_retry)
        tokens = _Tokens(_Transport(auth_url or base_url, on_retry), client_id or "", client_secret)
        token: Callable[..., _Authorization] = functools.partial(_TokenAuthorization, tokens)
        if client_id is None:
            token = lambda *_scheme, **_fields: _Authorization(None, "client_id")  # noqa: E731

        def version_1(scope: str) -> _Authorization:
            if credential is not None:
                return _Authorization(f"SWS {credential}")
            if client_id is None or advertiser_id is None:
                return _Authorization(None, "credential" if client_id is None else "advertiser_id")
            return token("SWS", scope=scope, advertiser_id=str(advertiser_id))

        reader = version_1("r_applications")
        own = token("Bearer")
        feed = _Feed(transport, reader, "/v1/advertiser/events")
        self.applications = Applications(transport, reader, feed)
        self.events = Events(feed)
        self.client_events = Events(_Feed(transport, own, "/v2/events"))
        self.progress = Progress(transport, version_1("w_progress"), "/v1/advertiser/progress")
        self.client_progress = Progress(transport, own, "/v2/progress")
        self.advertisers = Advertisers(transport, token("Bearer", scope="m_webhooks"))
        self.intake = Intake(transport, token("Bearer", scope="w_applications"))
        self.sharing = Sharing(transport, tokens, own)


class FileCursorStore:
    """Keeps a cursor in a file, and beside it, in `<path>.lock`, who uses it.

    A second program on the same machine fails to start; one on another machine takes over, and the first fails with
    cursor-in-use when it saves next. `files_in` is the folder of `File.save`, if that is another one: what killed programs
    have left there is removed at the start. The files are those of the TypeScript package.
    """

    _held: "set[str]" = set()

    def __init__(
        self, path: Union[str, "os.PathLike[str]"], files_in: Optional[Union[str, "os.PathLike[str]"]] = None
    ):
        self._file = pathlib.Path(path).absolute()
        self._folders = [self._file.parent] if files_in is None else [self._file.parent, pathlib.Path(files_in)]
        self._lock = self._file.with_name(self._file.name + ".lock")
        pid = os.getpid()
        # Another process may get the number of this one, but not when it started. Release 0.1.0 did not store that.
        self._own = {"id": str(uuid.uuid4()), "pid": pid, "host": socket.gethostname(), "started": _start_of(pid)}

    def load(self) -> Optional[str]:
        other = _read_json(self._lock)
        if other is not None and self._is_running(other):
            who = f"process {other['pid']} on {other['host']}"
            raise DossierError("cursor-in-use", f"{self._file} is used by {who}; if not, delete {self._lock}")
        _replace(self._lock, json.dumps(self._own).encode())
        self._held.add(self._own["id"])
        for folder in self._folders:
            _remove_parts(folder, _is_left)
        return (_read_json(self._file) or {}).get("cursor")

    def save(self, cursor: str) -> None:
        if (_read_json(self._lock) or {}).get("id") != self._own["id"]:
            raise DossierError("cursor-in-use", f"another program has taken over {self._file}")
        _replace(self._file, json.dumps({"cursor": cursor}).encode())

    def release(self) -> None:
        self._held.discard(self._own["id"])
        if (_read_json(self._lock) or {}).get("id") == self._own["id"]:
            self._lock.unlink()

    def _is_running(self, other: Json) -> bool:
        """A process of this machine that still exists. Containers often have the same process ID in each life."""
        if other["host"] != socket.gethostname() or os.name == "nt":
            return False
        if other["pid"] == os.getpid():
            return other["id"] in self._held
        return _exists(other["pid"], lambda now: other.get("started") in (None, now))


def _exists(pid: int, is_same: Callable[[str], bool]) -> bool:
    """Whether a process has this ID, and, if the system says when that one started, whether it is the same as before."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    started = _start_of(pid)
    return started is None or is_same(started)


def _start_of(pid: int) -> Optional[str]:
    """When a process started, as the system says it; None if it does not."""
    try:
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # The name of the program, in parentheses, may contain spaces, and need not be text.
        fields = pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2]
        return boot + " " + fields.split(b" ")[19].decode()
    except OSError:
        pass
    try:
        answer = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], stdout=subprocess.PIPE, check=False)
        return answer.stdout.decode().strip() or None
    except OSError:
        return None


def remove_file(path: Union[str, "os.PathLike[str]"]) -> None:
    """Deletes a file of `File.save`, for instance when its application is erased. It need not exist."""
    file = pathlib.Path(path).absolute()
    _remove_parts(file.parent, lambda part: part[1] == file.name)
    _unlink(file)


def verify_webhook(
    body: bytes, headers: Any, secrets: Sequence[str], tolerance: float = 300, now: Optional[float] = None
) -> Json:
    """Returns the event of a webhook whose signature is right, and raises webhook-rejected otherwise (Standard Webhooks).

    `body` as received. `secrets` are whsec_... of the endpoint; during a rotation the old one too. The standard library has
    no Ed25519, so this verifies v1; endpoints with v1a need another library. Deliveries repeat: store `id` in the transaction
    of the effect, and skip an event whose `id` is there already.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not all(isinstance(value, str) and value for value in (message_id, timestamp, signatures)):
        raise DossierError("webhook-rejected", "a webhook- header is missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise DossierError("webhook-rejected", "webhook-timestamp is not a time")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise DossierError("webhook-rejected", f"webhook-timestamp is more than {tolerance} seconds from now")
    content = body.encode() if isinstance(body, str) else body
    # Header values may hold characters that cannot be encoded; what replaces them matches no signature.
    signed = f"{message_id}.{timestamp}.".encode(errors="replace")
    for secret in secrets:
        if not re.fullmatch(r"whsec_[A-Za-z0-9+/]+=*", secret):
            raise DossierError("bad-settings", "a secret is not whsec_ with Base64")
        key = base64.b64decode(secret[len("whsec_") :])
        expected = base64.b64encode(hmac.new(key, signed + content, "sha256").digest())
        for signature in signatures.split(" "):
            version, _, value = signature.partition(",")
            if version == "v1" and hmac.compare_digest(expected, value.encode(errors="replace")):
                try:
                    return json.loads(content)
                except ValueError:
                    raise DossierError("webhook-rejected", "the body is not JSON") from None
    raise DossierError("webhook-rejected", "no signature matches")


def time_of(date: str) -> datetime.datetime:
    """The time in a date of version 1, such as /Date(1794614400000+1000)/."""
    found = re.search(r"\((-?\d+)", date)
    return datetime.datetime.fromtimestamp(int(found[1]) / 1000 if found else float("nan"), datetime.timezone.utc)


def _quoted(value: Id) -> str:
    return urllib.parse.quote(str(value), safe="")


def _tag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@functools.lru_cache(maxsize=None)
def _tags_of(pid: int) -> str:
    return f"{_tag(socket.gethostname())}-{pid}-{_tag(_start_of(pid) or '')}"


def _new_part(path: pathlib.Path) -> pathlib.Path:
    """The name says who writes it: the machine, the process ID, and when the process started."""
    return path.with_name(f"{path.name}.{_tags_of(os.getpid())}-{_tag(str(uuid.uuid4()))}.part")


_PART_NAME = re.compile(r"(?s)(.+)\.([0-9a-f]{8})-([0-9]{1,9})-([0-9a-f]{8})-[0-9a-f]{8}\.part")


def _remove_parts(folder: pathlib.Path, is_chosen: Callable[["re.Match[str]"], bool]) -> None:
    """Removes incomplete files."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        part = _PART_NAME.fullmatch(name)
        if part is not None and is_chosen(part):
            _unlink(folder / name)


def _is_left(part: "re.Match[str]") -> bool:
    """The program that wrote it ran on this machine and no longer exists. Windows cannot be asked without ending it."""
    if part[2] != _tag(socket.gethostname()) or os.name == "nt":
        return False
    return not _exists(int(part[3]), lambda now: part[4] == _tag(now))


def _unlink(path: pathlib.Path) -> None:
    try:
        path.unlink()
    except FileNotFoundError:
        pass


def _replace(path: pathlib.Path, content: bytes) -> None:
    """Leaves the old content or the new one, whatever happens meanwhile."""
    part = _new_part(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        _unlink(part)
        raise


def _read_json(path: pathlib.Path) -> Any:
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None
