"""The Agent `hotels` books a room, and cancels it. A booking is a file in ledger/hotels, with a line for each effect."""
import json, os, re, signal, sys, threading, time, urllib.parse
import pika

BROKER = pika.URLParameters(os.environ["BROKER_URL"])
SCHEDULERS = os.environ.get("SCHEDULER_USERS", "scheduler").split(",")
LEDGER = os.path.join("ledger", "hotels")
AGENT, stopping = "hotels", threading.Event()

class Failure(Exception):
    def __init__(self, code, message, transient=False):
        self.outcome = {"kind": "failed", "code": code, "message": message, "transient": transient}

def write(key, line):
    with open(os.path.join(LEDGER, urllib.parse.quote(key, safe="")), "a+") as booking:
        booking.seek(0)
        found = booking.read()
        if not found or (line == "undone" and not found.endswith("undone\n")): booking.write(line + "\n")
        return not found.endswith("undone\n")

def book(request):  # The key stands for one booking, however often it is asked for.
    traveller, city = request["input"].get("traveller"), request["input"].get("city")
    if not traveller: raise Failure("hotels.no_traveller", "A booking needs the name of a traveller")
    if city == "Atlantis": raise Failure("hotels.full", "There is no room")
    if city == "Fog": raise Failure("hotels.unreachable", "The hotel does not answer", transient=True)
    time.sleep(min(request["input"].get("seconds", 0), request["workMs"] / 1000))
    if not write(request["idempotencyKey"], f"{traveller} sleeps in {city}"):
        raise Failure("hotels.cancelled", "This booking was cancelled")
    return {"bookingId": request["idempotencyKey"]}

def cancel(request):  # From now on the key is refused: a `book` that comes late books nothing.
    write(request["undo"]["key"], "undone")

OPERATIONS = {"book": book, "cancel": cancel}

def outcome_of(request, user):
    try:
        if user not in SCHEDULERS: raise Failure("agent.request_refused", f"{user} is no Scheduler", True)
        if request["operation"] not in OPERATIONS: raise Failure("agent.unknown_operation", request["operation"])
        return {"kind": "completed", "output": OPERATIONS[request["operation"]](request)}
    except Failure as failure: return failure.outcome
    except Exception as error: return Failure("hotels.unexpected", str(error)[:2000], True).outcome

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

def beat(channel, **more):  # Every second, and not while it books: that may take up to 20 s.
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

os.makedirs(LEDGER, exist_ok=True)
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
while not stopping.is_set():
    try:
        with pika.BlockingConnection(BROKER) as connection: serve(connection.channel())
    except pika.exceptions.AMQPError as error:
        print(f"The broker is away: {error!r}", file=sys.stderr, flush=True)
        time.sleep(0.5)
