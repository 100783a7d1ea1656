"""Uses every call of the Python SDK once and prints the outcome: the same program as surface.ts.

It prints the address that a candidate has to visit, and reads the one with which the candidate comes back.
"""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SDK"])
from dossier import Dossier, DossierError  # noqa: E402

settings = json.loads(os.environ["SURFACE"])
url, key = settings["url"], settings["key"]
application = {
    "advertiserId": 10000001,
    "jobAdId": 32,
    "jobSeekerId": "user-4711",
    "contact": {"email": "casey@example.com", "firstName": "Casey", "lastName": "Lim"},
}
job_ad = {
    "advertiserId": 10000001,
    "title": "Roaster",
    "location": "Newcastle NSW",
    "description": "Roast.",
    "reference": "SDK-1",
}


def code_of(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except DossierError as error:
        return f"{'undefined' if error.status is None else error.status} {error.code}"
    return "no error"


def outcome_of(result):
    return f"refused {result['code']}" if result["result"] == "refused" else result["result"]


def file_of(file):
    return [file.name, file.hash, len(file.content), file.is_infected]


own = Dossier(url, credential="sws_demo_harbour")
agent = Dossier(url, client_id="demo-ats", client_secret="demo-ats-secret", advertiser_id=10000001)
board = Dossier(url, client_id="demo-board", client_secret="demo-board-secret")
client = settings["client"]
page = Dossier(url, auth_url=settings["authUrl"], client_id=client["id"], client_secret=client["secret"])

one = own.applications.get(3)
files = {"resume": ("résumé.txt", b"Ten years behind an espresso machine.\n")}
sent = board.intake.submit(application, files, idempotency_key=key)
again = board.intake.submit(application, files, idempotency_key=key)
known = board.intake.get(sent["id"])


def report(application_id, state):
    return {"applicationId": application_id, "state": state, "at": "2026-11-02T00:00:00Z"}


many = [report(sent["id"] if index < 100 else 99999999, "viewed") for index in range(101)]
reported = own.progress.report([*many, report(sent["id"], "inReview")])
ad = board.intake.job_ads.create(job_ad, idempotency_key=key + "-ad")
replaced = board.intake.job_ads.replace(ad["id"], {**job_ad, "title": "Head roaster"})
closed = board.intake.job_ads.close(10000001, ad["id"])
opened = board.intake.job_ads.open(10000001, ad["id"])
listed = [each["title"] for each in board.intake.job_ads.list(10000001, reference="SDK-1") if each["id"] == ad["id"]]

address, pending = page.sharing.begin(settings["redirectUri"], advertiser_id=10000001)
print(address, flush=True)
callback = input()
refusals = [
    code_of(page.sharing.finish, re.sub("state=[^&]*", "state=forged", callback), pending),
    code_of(page.sharing.finish, re.sub("iss=[^&]*", "iss=https%3A%2F%2Fevil.example", callback), pending),
]
shared = page.sharing.finish(callback, pending)
prefill = shared.prefill({"advertiserId": "10000001", "applicationFormUrl": "https://careers.example.com/apply/7"})
resume = shared.resume(prefill)
page.sharing.complete(prefill)
of_prefill = {"prefilledApplicationId": prefill["id"], "state": "interview", "at": "2026-11-02T00:00:00Z"}
(prefilled,) = page.client_progress.report([of_prefill])

print(
    json.dumps(
        {
            "ids": [each["ID"] for each in own.applications.list(page_size=4)],
            "few": [each["ID"] for each in agent.applications.list(after_id=2, before_id=6)],
            "one": [one["ID"], one["FirstName"], one["Email"]],
            "files": [
                file_of(own.applications.resume(1)),
                file_of(agent.applications.cover_letter(1)),
                file_of(own.applications.resume(8)),
            ],
            "screen": agent.applications.screen(1)["screen"]["@id"],
            "answers": [each["value"] for each in agent.applications.answers(1)["answers"]][2:3],
            "advertisers": [each["id"] for each in agent.advertisers.list()],
            "progress": [
                len(reported),
                *(outcome_of(reported[index]) for index in (0, 99, 100, 101)),
                outcome_of(prefilled),
            ],
            "intake": {
                "isSame": sent["id"] == again["id"] == known["id"] > 0,
                "replayed": [sent["wasReplayed"], again["wasReplayed"]],
                "fileName": sent["attachments"][0]["fileName"],
            },
            "ad": [ad["title"], replaced["title"], closed["status"], opened["status"], *listed],
            "shared": [prefill["applicantInfo"]["emailAddress"], resume.content.startswith(b"%PDF-")],
            "errors": [
                code_of(own.applications.get, 99999999),
                code_of(own.applications.selection_criteria, 99999999),
                code_of(Dossier(url, credential="sws_none").applications.get, 1),
                code_of(Dossier(url, client_id="x", client_secret="y", advertiser_id=1).applications.get, 1),
                code_of(board.applications.get, 1),
                code_of(next, own.advertisers.list()),
                code_of(own.intake.get, 1),
                code_of(agent.progress.report, [report(sent["id"], "viewed")]),
                code_of(own.client_progress.report, [of_prefill]),
                code_of(board.intake.submit, {**application, "jobSeekerId": "user-4712"}, idempotency_key=key),
                code_of(board.intake.submit, {**application, "contact": {**application["contact"], "email": ""}}),
                code_of(next, own.events.follow(cursor="nonsense")),
                *refusals,
            ],
        }
    )
)
