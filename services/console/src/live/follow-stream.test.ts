import { expect, test } from "@jest/globals";
import type { Call } from "../api/call.ts";
import { ConnectionFault, ProblemFault } from "../api/faults.ts";
import { followStream, type StreamState } from "./follow-stream.ts";

type Answer = string | Error;

/** Follows a stream that answers so, one answer for each connection. */
async function follow(answers: readonly Answer[]) {
  const calls: Call[] = [];
  const events: unknown[] = [];
  const states: StreamState["kind"][] = [];
  const stop = new AbortController();
  const open = async (call: Call): Promise<Response> => {
    calls.push(call);
    const answer = answers[calls.length - 1];
    if (answer === undefined) stop.abort();
    if (answer instanceof Error) throw answer;
    return new Response(answer ?? "");
  };
  await followStream({
    api: { open },
    path: "/v1/events",
    onEvent: (event, data) => events.push([event, data]),
    onState: ({ kind }) => states.push(kind),
    signal: stop.signal,
    sleep: async () => {},
  });
  return { events, states, lastIds: calls.map(({ headers }) => headers?.["last-event-id"]) };
}

const refusal = (status: number) =>
  new ProblemFault({ status, code: "request.refused", detail: "No." });

test("a stream that was lost goes on after the last event", async () => {
  const { events, states, lastIds } = await follow([
    "id: 7\nevent: moved\ndata: 1\n\n",
    new ConnectionFault("gone"),
    "event: moved\ndata: 2\n\nevent: end\ndata: {}\n\n",
  ]);
  expect(events).toEqual([
    ["moved", 1],
    ["moved", 2],
  ]);
  expect(lastIds).toEqual([undefined, "7", "7"]);
  expect(states).toEqual(["connecting", "live", "lost", "lost", "live"]);
});

test("a stream that does not exist is not asked for again", async () => {
  const { states, lastIds } = await follow([refusal(404)]);
  expect(states).toEqual(["connecting", "refused"]);
  expect(lastIds).toHaveLength(1);
});

test.each([429, 503])("a refusal with %d is one for now", async (status) => {
  const { states } = await follow([refusal(status), "event: end\n\n"]);
  expect(states).toEqual(["connecting", "lost", "live"]);
});

test("a stream with data that is not JSON is opened again", async () => {
  const { events, states } = await follow([
    "event: moved\ndata: {oops\n\n",
    "event: moved\ndata: 1\n\nevent: end\n\n",
  ]);
  expect(events).toEqual([["moved", 1]]);
  expect(states).toEqual(["connecting", "live", "lost", "live"]);
});
