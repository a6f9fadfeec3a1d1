"""The Agent `badges` prints a badge for a guest, and shreds it. A badge is a file in the folder BADGES."""
import json, os, re, signal, sys, threading, time, urllib.parse
import pika

BROKER = pika.URLParameters(os.environ["BROKER_URL"])
SCHEDULERS = os.environ.get("SCHEDULER_USERS", "scheduler").split(",")
AGENT, stopping = "badges", threading.Event()

class Failure(Exception):
    def __init__(self, code, message, transient=False):
        self.outcome = {"kind": "failed", "code": code, "message": message, "transient": transient}

def write(key, text):
    with open(os.path.join(os.environ["BADGES"], urllib.parse.quote(key, safe="")), "a+") as badge:
        badge.seek(0)
        found = badge.read()
        if found.endswith("shredded"): raise Failure("badges.shredded", "This badge was shredded")
        if found != text: badge.write(text)

def print_badge(request):  # The key stands for one badge, however often it is asked for.
    guest, seconds = request["input"].get("guest"), request["input"].get("seconds", 0)
    if not guest: raise Failure("badges.no_guest", "A badge needs the name of a guest")
    if guest == "paper jam": raise Failure("badges.paper_jam", "The printer is jammed", transient=True)
    time.sleep(min(seconds, request["workMs"] / 1000))
    write(request["idempotencyKey"], guest)
    return {"badge": request["idempotencyKey"]}

def shred_badge(request):  # From now on the key is refused: a `print` that comes late prints nothing.
    try: write(request["undo"]["key"], "shredded")
    except Failure: pass

OPERATIONS = {"print": print_badge, "shred": shred_badge}

def outcome_of(request, user):
    try:
        if user not in SCHEDULERS: raise Failure("agent.request_refused", f"{user} is no Scheduler", True)
        if request["operation"] not in OPERATIONS: raise Failure("agent.unknown_operation", request["operation"])
        return {"kind": "completed", "output": OPERATIONS[request["operation"]](request)}
    except Failure as failure: return failure.outcome
    except Exception as error: return Failure("badges.unexpected", str(error)[:2000], True).outcome

def publish(channel, exchange, route, kind, message, mode=2):
    properties = pika.BasicProperties(type=kind, user_id=BROKER.credentials.username, delivery_mode=mode)
    channel.basic_publish(exchange, route, json.dumps(message), properties, mandatory=mode == 2)

def handle(channel, method, properties, body):
    received = time.monotonic()
    try:
        request = json.loads(body if len(body) <= 1024 * 1024 else "too large")
        reply = {name: request[name] for name in ("taskId", "step", "attempt", "token")}
        late = received + request["workMs"] / 1000
        if request["agent"] != AGENT: raise ValueError("misrouted")
    except Exception: return channel.basic_reject(method.delivery_tag, requeue=False)
    reply["outcome"] = outcome_of(request, properties.user_id)
    own = re.fullmatch(r"scheduler\.replies\.([1-8])", properties.reply_to or "")
    for word in [f"reply-{own[1]}", "reply"] if own else ["reply"]:
        try:
            if time.monotonic() < late:  # Later on another attempt may run.
                publish(channel, "holdfast.replies", f"{word}.{AGENT}.{request['taskId']}", "step.reply.v1", reply)
            break
        except pika.exceptions.UnroutableError: pass  # The Scheduler that owned the queue is gone.
    channel.basic_ack(method.delivery_tag)

def beat(channel, **more):  # Every second, and not while a badge is printed: that may take up to 20 s.
    publish(channel, "holdfast.heartbeats", f"heartbeat.{AGENT}", "agent.heartbeat.v1", {
        "agent": AGENT, "instance": f"{AGENT}-{os.getpid()}", "capacity": 1, "inFlight": 0, "breaker": "closed",
        "openForMs": 0, "everyMs": 10_000, "operations": list(OPERATIONS), **more}, mode=1)

def serve(channel):
    channel.confirm_delivery()
    channel.basic_qos(prefetch_count=1)
    beat(channel)
    for method, properties, body in channel.consume(f"agent.{AGENT}", inactivity_timeout=1):
        if stopping.is_set(): return beat(channel, leaving=True)
        if method: handle(channel, method, properties, body)
        beat(channel)

signal.signal(signal.SIGTERM, lambda *_: stopping.set())
while not stopping.is_set():
    try:
        with pika.BlockingConnection(BROKER) as connection: serve(connection.channel())
    except pika.exceptions.AMQPError as error:
        print(f"The broker is away: {error!r}", file=sys.stderr, flush=True)
        time.sleep(0.5)
