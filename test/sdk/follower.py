"""Follows the feed with the Python SDK, as FOLLOW says, and prints a line of JSON for everything that happens.

The same program as follower-process.ts.
"""

import json
import os
import signal
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SDK"])
from dossier import Dossier, DossierError, FileCursorStore, Stop  # noqa: E402

settings = json.loads(os.environ["FOLLOW"])
store = settings["store"]
stop = Stop()
signal.signal(signal.SIGTERM, lambda *_: stop.set())


def tell(**told):
    print(json.dumps(told), flush=True)


points_left = settings.get("killAt", 0)


def point():
    """A moment at which this process may be killed."""
    global points_left
    points_left -= 1
    if points_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


agent = {"client_id": "demo-ats", "client_secret": "demo-ats-secret", "advertiser_id": 10000001}
reader = agent if settings.get("isAgent") else {"credential": settings.get("credential", "sws_demo_harbour")}
dossier = Dossier(settings["url"], **reader)
options = {
    "wait": settings["wait"],
    "limit": settings["limit"],
    "stop": stop,
    "on_retry": lambda retry: tell(retry=retry.error.code),
}
if settings.get("onGap"):
    options["on_gap"] = lambda gap: tell(gap=gap.reason)


def follow_in_transactions():
    """The user's own transaction holds the effects and the cursor."""
    database = sqlite3.connect(store, isolation_level=None)
    database.execute("create table if not exists effects (place integer primary key, event text)")
    database.execute("create table if not exists position (cursor text)")
    row = database.execute("select cursor from position").fetchone()
    for batch in dossier.events.follow(cursor=row[0] if row else "start", **options):
        point()
        database.execute("begin immediate")
        for event in batch.events:
            database.execute("insert into effects (event) values (?)", (event["id"],))
            point()
        database.execute("delete from position")
        database.execute("insert into position values (?)", (batch.cursor,))
        point()
        database.execute("commit")
        for event in batch.events:
            tell(event=event["id"])
        point()


class KilledStore(FileCursorStore):
    def save(self, cursor):
        point()
        super().save(cursor)
        tell(saved=cursor)
        point()


def follow_with_store():
    """A store of cursors, and effects without a transaction."""

    def on_event(event):
        with open(store, "a") as effects:
            effects.write(event["id"] + "\n")
        tell(event=event["id"])
        point()

    dossier.events.follow(cursor_store=KilledStore(store + ".json"), on_event=on_event, start="start", **options)


def follow_batches():
    for batch in dossier.events.follow(cursor=settings.get("cursor"), **options):
        tell(batch=[event["id"] for event in batch.events], cursor=batch.cursor)


def follow_applications():
    dossier.applications.follow(
        FileCursorStore(store + ".json"),
        on_application=lambda application: tell(
            application=application["ID"], job=application.get("PrimaryJobSeekingInfo", {}).get("JobTitle")
        ),
        on_erased=lambda application_id: tell(erased=application_id),
        on_withdrawn=lambda application_id: tell(withdrawn=application_id),
        on_file=lambda file, application: tell(file=application["ID"], type=file.type, isInfected=file.is_infected),
        **options,
    )


ways = {
    "batches": follow_batches,
    "transactions": follow_in_transactions,
    "store": follow_with_store,
    "applications": follow_applications,
}
try:
    ways[settings["how"]]()
    tell(ended=True)
except DossierError as error:
    tell(error=error.code)
