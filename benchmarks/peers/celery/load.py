"""Starts a worker, and measures what the standard input asks for: a line of JSON after the other, each answered
with a line when all orders are processed."""

import json
import os
import socket
import subprocess
import sys
import uuid
from pathlib import Path

CONCURRENCY = "4"
LONGEST_ID = 64


def children_of(pid):
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in tasks.read_text().split()] if tasks.exists() else []


class Load:
    def __init__(self, order_chain, reports):
        self.order_chain = order_chain
        self.reports = reports
        self.waiting = set()

    def submit(self):
        order = {"id": str(uuid.uuid4()), "padding": "x" * 340}
        self.waiting.add(order["id"])
        self.order_chain(order).apply_async()

    def hear(self):
        """Waits for the report of one order."""
        self.waiting.discard(self.reports.recv(LONGEST_ID).decode())

    def run(self, orders, width):
        submitted = 0
        while submitted < orders or self.waiting:
            while submitted < orders and len(self.waiting) < width:
                self.submit()
                submitted += 1
            self.hear()


def main():
    folder = Path(os.environ["FOLDER"])
    os.environ["REPORTS"] = str(folder / "reports.sock")
    reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    # Nothing waits for reports while orders are submitted: a full socket would hold the workers up.
    reports.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024 * 1024)
    reports.bind(os.environ["REPORTS"])

    from celery import chain

    from steps import first, second, third

    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "steps", "worker", "--loglevel=ERROR", "--pool=prefork"]
        + [f"--concurrency={CONCURRENCY}", "--without-gossip", "--without-mingle", "--without-heartbeat"],
        cwd=Path(__file__).parent,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
    )
    try:
        load = Load(lambda order: chain(first.s(order), second.s(), third.s()), reports)
        load.run(1, 1)
        pids = {"worker": worker.pid}
        for number, child in enumerate(children_of(worker.pid), 2):
            pids[f"worker {number}"] = child
        print(json.dumps({"ready": True, "pids": pids}), flush=True)
        for line in sys.stdin:
            asked = json.loads(line)
            load.run(asked["orders"], asked.get("width", asked["orders"]))
            print('{"done":true}', flush=True)
    finally:
        worker.terminate()
        worker.wait()


if __name__ == "__main__":
    main()
