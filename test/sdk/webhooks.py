"""Verifies webhooks with the Python SDK, and prints the ID of each event, or the code of the error."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SDK"])
from dossier import DossierError, verify_webhook  # noqa: E402


def outcome(webhook):
    try:
        return verify_webhook(webhook["body"].encode(), webhook["headers"], webhook["secrets"], now=webhook["now"] / 1000)["id"]
    except DossierError as error:
        return error.code


print(json.dumps([outcome(webhook) for webhook in json.loads(os.environ["WEBHOOKS"])]))
