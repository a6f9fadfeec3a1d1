import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { holdfastClient } from "@holdfast/client";
import { queryOnce } from "@holdfast/local-stack";
import { openHealth } from "@holdfast/runtime";
import { defaultLimits, type Guard, openGuard } from "@holdfast/runtime/http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { FastifyInstance, FastifyReply } from "fastify";
import { pino } from "pino";
import { readStream } from "../test/read-stream.ts";
import { serve } from "../test/serve.ts";
import {
  asOperator,
  authorization,
  idOf,
  openTrips,
  step,
  type TripService,
  token,
  trip,
} from "../test/trips.ts";
import { compressAnswers } from "./compress-answers.ts";
import { openHttp } from "./open-http.ts";

const text = "a word and ".repeat(2_000);

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** Asks as a client that says itself what it takes, and reads the bytes as they come. */
async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Answer> {
  const asking = request(url, { method, headers, agent: false }).end();
  const [response] = (await once(asking, "response")) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const { statusCode: status = 0, headers: answered } = response;
  return { status, headers: answered, bytes: Buffer.concat(parts) };
}
const taken = { "accept-encoding": "gzip" };
const jsonIn = ({ bytes }: Answer): unknown => JSON.parse(gunzipSync(bytes).toString());

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

/** A server with answers of every kind. */
async function open(
  routes: (app: FastifyInstance) => void,
  guard: Guard = openGuard({ ...defaultLimits, addressShare: 100 }),
) {
  const health = openHealth(new AbortController().signal);
  const app = openHttp(health, pino({ level: "silent" }), guard);
  compressAnswers(app);
  routes(app);
  closing.push(() => app.close());
  return { url: await app.listen({ host: "127.0.0.1", port: 0 }), app };
}

test("an answer of JSON is compressed for a client that takes gzip, and for no other", async () => {
  const { url, app } = await open((routes) => routes.get("/large", async () => ({ text })));
  const plain = await ask(`${url}/large`);
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(JSON.parse(plain.bytes.toString())).toEqual({ text });
  const compressed = await ask(`${url}/large`, taken);
  expect(compressed.headers).toMatchObject({
    "content-encoding": "gzip",
    "content-length": String(compressed.bytes.length),
    "content-type": plain.headers["content-type"],
  });
  expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 10);
  expect(jsonIn(compressed)).toEqual({ text });
  for (const { headers } of [plain, compressed]) expect(headers.vary).toBe("accept-encoding");
  for (const accepted of ["identity", "br", "gzip;q=0", "*;q=0"]) {
    const answer = await ask(`${url}/large`, { "accept-encoding": accepted });
    expect(answer.headers).not.toHaveProperty("content-encoding");
  }
  expect(app.guard.memory.used).toBe(0);
});

test("what is small, no JSON, or compressed already is sent as it is", async () => {
  const { url } = await open((app) => {
    app.get("/small", async () => ({ text: text.slice(0, 900) }));
    app.get("/page", async (_, reply) => reply.type("text/html").send(text));
    app.get("/picture", async (_, reply) => reply.type("image/png").send(Buffer.from(text)));
    app.get("/done", async (_, reply) =>
      reply.type("application/json").header("content-encoding", "br").send(text),
    );
    app.get("/none", async (_, reply) => reply.code(204).send());
  });
  for (const [path, encoding] of [
    ["/small", undefined],
    ["/page", undefined],
    ["/picture", undefined],
    ["/done", "br"],
    ["/none", undefined],
  ] as const) {
    const answer = await ask(url + path, taken);
    expect([path, answer.headers["content-encoding"]]).toEqual([path, encoding]);
    expect(answer.headers).not.toHaveProperty("vary");
  }
});

test("HEAD says of an answer what GET does", async () => {
  const { url } = await open((app) => app.get("/large", async () => ({ text })));
  const [head, get] = [await ask(`${url}/large`, taken, "HEAD"), await ask(`${url}/large`, taken)];
  expect(head.bytes).toHaveLength(0);
  for (const name of ["content-encoding", "content-length", "vary"])
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
});

test("an answer in parts goes out part by part, and one that its client leaves ends its source", async () => {
  const second = Promise.withResolvers<string>();
  let source: Readable | null = null;
  const parts = async function* () {
    yield `{"first":"${text}"`;
    yield await second.promise;
  };
  const endless = async function* () {
    yield `{"first":"${text}"`;
    await new Promise(() => {});
  };
  const { url, app } = await open((routes) => {
    const send = (reply: FastifyReply, made: AsyncIterable<string>) => {
      source = Readable.from(made, { highWaterMark: 1 });
      return reply.type("application/json; charset=utf-8").send(source);
    };
    routes.get("/parts", (_, reply) => send(reply, parts()));
    routes.get("/endless", (_, reply) => send(reply, endless()));
  });
  const answer = await fetch(`${url}/parts`, { headers: taken });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let come = "";
  while (come.length < text.length) come += (await reader?.read())?.value ?? "";
  expect(app.guard.memory.used).toBeGreaterThan(0);
  second.resolve(',"second":2}');
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    come += next.value;
  expect(JSON.parse(come)).toEqual({ first: text, second: 2 });
  while (app.guard.memory.used > 0) await new Promise((resolve) => setImmediate(resolve));

  const leaving = request(`${url}/endless`, { headers: taken, agent: false }).end();
  leaving.on("error", () => {});
  await once(leaving, "response");
  expect(app.guard.memory.used).toBeGreaterThan(0);
  leaving.destroy();
  while (app.guard.memory.used > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(source).toMatchObject({ destroyed: true });
});

test("an answer in parts that fails breaks off, and one that fails at once is a problem, compressed or not", async () => {
  let failing = Promise.withResolvers<void>();
  const parts = async function* (first: string) {
    if (first !== "") yield first;
    await failing.promise;
    throw new Error("the store is gone");
  };
  const { url, app } = await open((routes) => {
    const send = (reply: FastifyReply, first: string) =>
      reply.type("application/json").send(Readable.from(parts(first), { highWaterMark: 1 }));
    routes.get("/parts", (_, reply) => send(reply, `{"first":"${text}"`));
    routes.get("/none", (_, reply) => send(reply, ""));
  });
  for (const headers of [{}, taken]) {
    failing = Promise.withResolvers();
    const answer = await fetch(`${url}/parts`, { headers });
    const reader = answer.body?.getReader();
    await reader?.read();
    failing.resolve();
    const read = async (): Promise<void> => {
      while ((await reader?.read())?.done === false);
    };
    await expect(read()).rejects.toThrow(/terminated|aborted/);
    const refused = await ask(`${url}/none`, headers);
    expect([refused.status, refused.headers["content-encoding"]]).toEqual([500, undefined]);
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code: "request.failed" });
  }
  while (app.guard.memory.used > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("without memory to compress in, an answer is sent as it is", async () => {
  const guard = openGuard({ ...defaultLimits, addressShare: 100, memory: 128 * 1024 });
  const other = { address: "127.0.0.2", block: "127.0.0.2", isOperator: false };
  const held = guard.memory.force(other, 128 * 1024);
  const { url } = await open((app) => app.get("/large", async () => ({ text })), guard);
  const answer = await ask(`${url}/large`, taken);
  expect(answer.headers).not.toHaveProperty("content-encoding");
  expect(JSON.parse(answer.bytes.toString())).toEqual({ text });
  held.release();
  expect(jsonIn(await ask(`${url}/large`, taken))).toEqual({ text });
  expect(guard.memory.used).toBe(0);
});

let trips: TripService;
let url: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  trips = await openTrips();
  const origins = { isOn: true, allows: () => true };
  const app = serve(trips.store, { token, guard: { origins } });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
  stop = () => app.close();
});
afterAll(async () => {
  await stop();
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

/** A task whose answer is large. */
async function largeTask(): Promise<string> {
  await trips.put("large.v1", trip("large.v1", { inputSchema: {} }));
  return idOf(await trips.submit({ workflow: "large", input: { text } }));
}

test("the client reads large answers compressed, and events as they come", async () => {
  const seen: (readonly [string, string | null])[] = [];
  const watched: typeof fetch = async (asked, init) => {
    const answer = await fetch(asked, init);
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    seen.push([type, answer.headers.get("content-encoding")]);
    return answer;
  };
  const client = holdfastClient({ url, token, actor: "ann", fetch: watched });
  const id = await largeTask();
  expect(await client.tasks.get(id)).toMatchObject({ input: { text } });
  for await (const { action } of client.follow(id)) {
    expect(action).toBe("submit");
    break;
  }
  expect(seen).toContainEqual(["application/json", "gzip"]);
  expect(seen).toContainEqual(["text/event-stream", null]);
});

test("a stream of events is not compressed for a client that takes gzip", async () => {
  const id = await largeTask();
  await using stream = await readStream(`${url}/v1/tasks/${id}/events`, taken);
  expect(stream.headers).not.toHaveProperty("content-encoding");
  await stream.until((one) => one.events().some(({ event }) => event === "task"));
});

test("an operator acts with the ETag of a compressed answer, which is weak", async () => {
  const id = await largeTask();
  const plain = await ask(`${url}/v1/tasks/${id}`, { authorization });
  const { headers } = await ask(`${url}/v1/tasks/${id}`, { authorization, ...taken });
  expect([plain.headers.etag, headers.etag]).toEqual(['"1"', 'W/"1"']);
  expect(headers.vary).toBe("origin, accept-encoding");
  const paused = await fetch(`${url}/v1/tasks/${id}/pause`, {
    method: "POST",
    headers: {
      authorization,
      "content-type": "application/json",
      "if-match": headers.etag ?? "",
    },
    body: JSON.stringify(asOperator),
  });
  expect(paused.status).toBe(200);
});

test("a task of megabytes, which is answered in parts, is the same compressed", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `book-${index}`);
  const steps = names.map((name) => ({ ...step, name, agent: "hotels", input: null, after: [] }));
  await trips.put("wide.v1", trip("wide.v1", { steps }));
  const id = idOf(await trips.submit({ workflow: "wide" }));
  await queryOnce(
    trips.url,
    `insert into state.step_payloads (task_id, name, output)
     select '${id}', 'book-' || number, to_json(repeat('x', 250000)) from generate_series(0, 7) as one (number)`,
  );
  const plain = await ask(`${url}/v1/tasks/${id}`, { authorization });
  const compressed = await ask(`${url}/v1/tasks/${id}`, { authorization, ...taken });
  expect(compressed.headers["content-encoding"]).toBe("gzip");
  expect(plain.bytes.length).toBeGreaterThan(2_000_000);
  expect(compressed.bytes.length).toBeLessThan(100_000);
  expect(jsonIn(compressed)).toEqual(JSON.parse(plain.bytes.toString()));
});
