import { expect, test } from "@jest/globals";
import { ConnectionError } from "./errors.ts";
import { holdfastClient } from "./holdfast-client.ts";

type Reply = () => Response | Error;
const json = (status: number, body: unknown) => () =>
  new Response(JSON.stringify(body), { status });
const result = (state: string) =>
  json(state === "processed" ? 200 : 202, { id: "t1", state, result: null, faultCode: null });
const history = (...ids: readonly string[]) =>
  json(200, { items: ids.map((id) => ({ id })), next: null });

/** A stream that sends these parts, and then ends or breaks. */
const stream =
  (parts: readonly string[], breaks = false): Reply =>
  () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          const [part, ...rest] = parts;
          parts = rest;
          if (part !== undefined) controller.enqueue(new TextEncoder().encode(part));
          else if (breaks) controller.error(new Error("reset"));
          else controller.close();
        },
      }),
      { status: 200, headers: { "content-type": "text/event-stream" } },
    );
const moved = (id: string) => `id: ${id}\nevent: moved\ndata: {"id":"${id}"}\n\n`;
const task = (state: string) => `event: task\ndata: {"state":"${state}"}\n\n`;
const end = 'event: end\ndata: {"id":"t1","state":"processed"}\n\n';

async function followed(replies: readonly Reply[], how = {}) {
  const left = [...replies];
  const asked: { readonly path: string; readonly last: string | null }[] = [];
  const client = holdfastClient({
    url: "http://holdfast.test",
    retryFor: 1_000,
    fetch: async (url, init = {}) => {
      const last = new Headers(init.headers).get("last-event-id");
      asked.push({ path: new URL(url).pathname.slice("/v1/tasks/t1".length), last });
      const reply = left.shift()?.() ?? new Error("nothing more was expected");
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  const ids: string[] = [];
  const moves = client.follow("t1", how);
  for (;;) {
    const next = await moves.next();
    if (next.done === true) return { ids, asked, result: next.value };
    ids.push(next.value.id);
  }
}

test("moves come as the stream has them, wherever it is cut into pieces", async () => {
  const text = `retry: 1000\n\n: still here\n\n${moved("1")}${moved("2")}${task("processed")}${end}`;
  for (const size of [1, 7, 1_000]) {
    const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const { ids, result: ended } = await followed([stream(parts), result("processed")]);
    expect(ids).toEqual(["1", "2"]);
    expect(ended.state).toBe("processed");
  }
});

test("after a lost connection the stream goes on where it was, and no move comes twice", async () => {
  const { ids, asked } = await followed([
    stream([moved("1"), moved("2")], true),
    () => new TypeError("fetch failed"),
    stream([moved("1"), moved("2"), moved("3")]),
    stream([moved("4"), end]),
    result("processed"),
  ]);
  expect(ids).toEqual(["1", "2", "3", "4"]);
  expect(asked.map(({ last }) => last)).toEqual([null, "2", "2", "3", null]);
});

test.each([404, 503])(
  "a service that answers %i is asked again and again instead",
  async (status) => {
    const { ids, asked } = await followed([
      json(status, { code: "x.y", detail: "No.", status }),
      result("pending"),
      history("1"),
      result("processed"),
      history("1", "2"),
    ]);
    expect(ids).toEqual(["1", "2"]);
    expect(asked.map(({ path }) => path)).toEqual([
      "/events",
      "/result",
      "/history",
      "/result",
      "/history",
    ]);
  },
);

test("a task that halts ends the following only if that is asked for", async () => {
  const replies = [stream([moved("1"), task("halted"), moved("2"), end]), result("halted")];
  expect((await followed(replies, { untilHalted: true })).ids).toEqual(["1"]);
  expect(
    (await followed([stream([moved("1"), task("halted"), moved("2"), end]), result("processed")]))
      .ids,
  ).toEqual(["1", "2"]);
  const polled = [json(404, {}), result("halted"), history("1")];
  expect((await followed(polled, { untilHalted: true })).result.state).toBe("halted");
});

test("a task that has halted is asked about once a second where there is no stream, until it has ended", async () => {
  const begun = performance.now();
  const { ids } = await followed([
    json(404, {}),
    result("halted"),
    history("1"),
    result("processed"),
    history("1", "2"),
  ]);
  expect(ids).toEqual(["1", "2"]);
  expect(performance.now() - begun).toBeGreaterThan(900);
});

test("a service that stays away is given up, and a signal ends the following at once", async () => {
  await expect(followed([])).rejects.toBeInstanceOf(ConnectionError);
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(followed([], { signal })).rejects.toThrow();
});
