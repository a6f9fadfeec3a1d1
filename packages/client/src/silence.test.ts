import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { ConnectionError } from "./errors.ts";
import { type HoldfastClient, holdfastClient } from "./holdfast-client.ts";
import { isPassing } from "./request.ts";
import { limitsOf } from "./retry.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What a load balancer says for itself. */
const page =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "text/html" }).end(`<h1>${status}</h1>`);
const json =
  (status: number, body: object): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify(body));
const accepted = json(202, { id: "t1" });
/** Keeps the connection, and says nothing. */
const silent: Answer = () => {};
/** Begins an answer that never ends. */
const endless: Answer = (_, response) => void response.writeHead(200).write("{");

/** A server that answers so, one answer after the other, and the last one ever after. */
async function serve(...answers: readonly Answer[]) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(keys.length, answers.length - 1)];
    keys.push(request.headers["idempotency-key"] as string | undefined);
    answer?.(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test.each([408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530, 598, 599])(
  "a submission that a proxy answered with %i is sent again under the same key",
  async (status) => {
    await using served = await serve(page(status), accepted);
    const client = holdfastClient({ url: served.url, retryFor: 3_000 });
    expect(await client.submit("trip", {})).toMatchObject({ id: "t1" });
    expect(served.keys).toHaveLength(2);
    expect(new Set(served.keys).size).toBe(1);
  },
);

test.each([400, 401, 403, 404, 405, 410, 413, 422, 500, 501, 505, 511, 560])(
  "an answer %i of another program is not asked for again",
  async (status) => {
    expect(isPassing(status)).toBe(false);
    await using served = await serve(page(status));
    const client = holdfastClient({ url: served.url });
    await expect(client.submit("trip", {})).rejects.toThrow(/not as Holdfast does/);
    expect(served.keys).toHaveLength(1);
  },
);

test("a submission goes on after a 504 and a silence, with one task", async () => {
  await using served = await serve(page(504), silent, endless, accepted);
  const client = holdfastClient({ url: served.url, retryFor: 20_000, timeout: 100 });
  expect(await client.submit("trip", {})).toMatchObject({ id: "t1" });
  expect(served.keys).toHaveLength(4);
  expect(new Set(served.keys).size).toBe(1);
});

const retryFor = 600;
const calls: Readonly<Record<string, (client: HoldfastClient) => Promise<unknown>>> = {
  submit: (client) => client.submit("trip", {}),
  "a run": (client) => client.run("trip", {}, { wait: 0 }),
  result: (client) => client.result("t1"),
  "a wait for a result": (client) => client.result("t1", { wait: 100 }),
  "tasks.get": (client) => client.tasks.get("t1"),
  "an act of an operator": (client) => client.tasks.cancel("t1", { reason: "why", version: 1 }),
  follow: (client) => client.follow("t1").next(),
  changes: (client) => client.changes().next(),
  request: (client) => client.request({ method: "PUT", path: "/v1/workflows/x", body: {} }),
};

test.each(Object.keys(calls))(
  "%s does not wait for a silent server for longer than it was asked to, and says what was tried",
  async (name) => {
    for (const answer of [silent, endless]) {
      await using served = await serve(answer);
      const client = holdfastClient({ url: served.url, retryFor, timeout: 200 });
      const begun = Date.now();
      const error = await calls[name]?.(client).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConnectionError);
      expect((error as Error).message).toMatch(/127\.0\.0\.1:\d+|\/v1\/(tasks\/t1\/)?events/);
      // What the machine of the test needs besides.
      expect(Date.now() - begun).toBeLessThan(retryFor + 100 + 2_000);
    }
  },
);

test("the error names the URL, the request, and how often and for how long it was tried", async () => {
  await using served = await serve(silent);
  const client = holdfastClient({ url: served.url, retryFor: 0, timeout: 100 });
  await expect(client.submit("trip", {})).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+ did not answer within 0\.1 s \(POST \/v1\/tasks, tried once in 0\.\d s\)$/,
  );
});

test("a fetch of the caller's own that heeds no signal is not waited for", async () => {
  const client = holdfastClient({
    url: "http://holdfast.test",
    retryFor: 300,
    fetch: () => new Promise(() => {}),
  });
  await expect(client.tasks.get("t1")).rejects.toThrow(/did not answer within/);
});

test("a caller who stops waiting is answered at once", async () => {
  await using served = await serve(silent);
  const client = holdfastClient({ url: served.url });
  const stop = new AbortController();
  const waiting = client.submit("trip", {}, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await expect(waiting).rejects.toThrow("enough");
});

test("a stream that a proxy has lost is opened again, and one that the service refuses is not", async () => {
  const event = 'event: changed\ndata: {"tasks":[],"more":0}\n\n';
  const stream: Answer = (_, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).end(event);
  const refused = json(503, { status: 503, code: "request.overload", detail: "No room." });
  await using served = await serve(page(504), stream, refused);
  const client = holdfastClient({ url: served.url, retryFor: 5_000 });
  const events: unknown[] = [];
  for await (const change of client.changes()) events.push(change);
  expect(events).toEqual([{ event: "changed", tasks: [], more: 0 }]);
  expect(served.keys).toHaveLength(3);
});

test("a proxy that redirects what is sent is named with the URL to which it leads", async () => {
  const location = "https://holdfast.example/v1/tasks";
  await using served = await serve((_, response) => response.writeHead(308, { location }).end());
  const client = holdfastClient({ url: served.url });
  await expect(client.submit("trip", {})).rejects.toThrow(
    `${served.url} redirects to ${location}: give the client the URL to which it leads`,
  );
  expect(served.keys).toHaveLength(1);
});

test.each([
  [{}, { isSafe: true, takes: 0 }, { whole: 30_000, attempt: 10_000, again: 30_000 }],
  [{}, { isSafe: false, takes: 0 }, { whole: 30_000, attempt: 30_000, again: 30_000 }],
  [{}, { isSafe: true, takes: 60_000 }, { whole: 90_000, attempt: 70_000, again: 90_000 }],
  [{ retryFor: 0 }, { isSafe: true, takes: 0 }, { whole: 10_000, attempt: 10_000, again: 0 }],
  [
    { retryFor: 0, timeout: 500 },
    { isSafe: false, takes: 100 },
    { whole: 600, attempt: 600, again: 0 },
  ],
  [
    { retryFor: Infinity },
    { isSafe: true, takes: 0 },
    { whole: Infinity, attempt: 10_000, again: Infinity },
  ],
])("options %j and a call %j have the limits %j", (options, asked, limits) => {
  expect(limitsOf(options, asked)).toEqual(limits);
});

test.each([{ retryFor: -1 }, { retryFor: Number.NaN }, { timeout: -5 }])(
  "a client with %j is none",
  (options) => {
    expect(() => holdfastClient({ url: "http://holdfast.test", ...options })).toThrow(RangeError);
  },
);
