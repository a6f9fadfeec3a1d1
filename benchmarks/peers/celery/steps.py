"""The three steps of an order as Celery tasks; the third tells the load that it ran."""

import os
import socket

from celery import Celery

app = Celery("bench", broker=os.environ["BROKER_URL"])
app.conf.update(
    task_default_queue="steps",
    # As durable as the queues of the others: written by a quorum, and confirmed.
    task_default_queue_type="quorum",
    broker_transport_options={"confirm_publish": True},
    broker_connection_retry_on_startup=True,
    # A worker that is killed loses no step.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=50,
    worker_hijack_root_logger=False,
    worker_enable_remote_control=False,
)

_reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


@app.task(name="first")
def first(order):
    return order


@app.task(name="second")
def second(order):
    return order


@app.task(name="third")
def third(order):
    _reports.sendto(order["id"].encode(), os.environ["REPORTS"])
