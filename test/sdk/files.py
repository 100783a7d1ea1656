"""Runs one call of files.test.ts with the Python SDK."""

import json
import os
import pathlib
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SDK"])

from dossier import DossierError, File, FileCursorStore, remove_file  # noqa: E402

name, path, *rest = json.loads(os.environ["CALL"])
if os.path.exists("/proc/self/comm"):
    # The system cuts the names of programs after 15 bytes, perhaps within a character.
    with open("/proc/self/comm", "wb") as comm:
        comm.write("Bewerbungen für".encode()[:14])
if name == "use":
    store = FileCursorStore(path, *rest)
    try:
        store.load()
        store.release()
        print("free")
    except DossierError as error:
        print(error.code)
elif name == "hang":

    def hang(*_):
        print("writing", flush=True)
        signal.pause()

    pathlib.Path.replace = hang
    File("resume.pdf", "application/pdf", b"resume", "", False).save(path)
elif name == "save":
    File("resume.pdf", "application/pdf", rest[0].encode(), "", False).save(path)
else:
    remove_file(path)
