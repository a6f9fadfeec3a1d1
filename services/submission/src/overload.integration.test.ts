import { setTimeout as sleep } from "node:timers/promises";
import { queryOnce } from "@holdfast/local-stack";
import { openHealth } from "@holdfast/runtime";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { type Link, migratedDatabase, openLink } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { bookTrip, sampleBooking } from "../test/bookings.ts";
import { serve } from "../test/serve.ts";
import type { WaitingLimits } from "./submit-task.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let databaseUrl: string;
/**
 * The link to the store: while it is held every transaction stands still. One that silenced the
 * open connections alone would let it through on a new one, which there is as soon as the directory
 * is read anew on the others.
 */
let link: Link;
let store: StateStore;
beforeAll(async () => {
  const database = resources.use(await migratedDatabase());
  databaseUrl = database.url;
  link = resources.use(await openLink(databaseUrl));
  const options = { url: link.url, applicationName: "test", maxConnections: 4 };
  store = resources.use(await openStateStore(options));
  await store.registerWorkflow(bookTrip);
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  await queryOnce(databaseUrl, "truncate state.submissions");
});
afterEach(() => {
  link.heal();
});

const writtenKeys = async () =>
  (
    await queryOnce<{ key: string }>(
      databaseUrl,
      "select idempotency_key as key from state.submissions order by 1",
    )
  ).map(({ key }) => key);

const booking = JSON.stringify(sampleBooking());

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(1);
};

/** A submission on a port of its own, whose first booking is in a transaction that stands still. */
async function busySubmission(waiting: WaitingLimits) {
  const health = openHealth(new AbortController().signal);
  health.check("state store", () => true);
  const directory = workflowDirectory(store);
  let begun = 0;
  const app = serve(store, {
    health,
    directory,
    failpoint: (gap) => {
      if (gap === "submission.accepting") begun += 1;
    },
    waiting,
  });
  let arrived = 0;
  app.addHook("preHandler", async () => {
    arrived += 1;
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  // What is known by now is answered without the store.
  await directory.find("book-trip", () => true);
  const post = (key: string, signal?: AbortSignal) =>
    fetch(`${url}/v1/bookings`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: booking,
      ...(signal === undefined ? {} : { signal }),
    });
  link.hold(["toServer", "toClient"]);
  const first = post("first");
  await until(() => begun === 1);
  return {
    app,
    url,
    first,
    post,
    /** Sends these, and resolves when all of them have come to the route. */
    async postAll(keys: readonly string[], signal?: AbortSignal) {
      const before = arrived;
      const answers = keys.map((key) => post(key, signal));
      await until(() => arrived === before + keys.length);
      return answers;
    },
    get arrived() {
      return arrived;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

const keysFrom = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);
const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);

test("bookings beyond those that may wait are answered 503 at once, and health goes on", async () => {
  await using submission = await busySubmission({ tasks: 20, timeout: 60_000 });
  const waiting = await submission.postAll(keysFrom("waiting", 20));
  const refused = await Promise.all(keysFrom("refused", 50).map((key) => submission.post(key)));
  for (const answer of refused) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toMatchObject({ code: "request.overload" });
  }
  for (const path of ["live", "ready"]) {
    expect((await fetch(`${submission.url}/health/${path}`)).status).toBe(200);
  }
  // What is no submission goes on, too: here to where operators are asked for their token.
  const bulk = await fetch(`${submission.url}/v1/bulk-operations`, { method: "POST" });
  expect(bulk.status).toBe(403);
  link.heal();
  expect(await statuses([submission.first, ...waiting])).toEqual(Array(21).fill(202));
  expect((await submission.post("afterwards")).status).toBe(202);
  const expected = ["first", "afterwards", ...keysFrom("waiting", 20)];
  expect(await writtenKeys()).toEqual(expected.toSorted());
});

test("a waiting booking whose client has gone is not written, and another gets its place", async () => {
  await using submission = await busySubmission({ tasks: 10, timeout: 60_000 });
  const gone = new AbortController();
  const abandoned = await submission.postAll(keysFrom("abandoned", 10), gone.signal);
  expect((await submission.post("too many")).status).toBe(503);
  gone.abort();
  await Promise.allSettled(abandoned);
  // The server learns of it a moment later, and refuses until then.
  const answers: Promise<Response>[] = [];
  const before = submission.arrived;
  while (submission.arrived === before) {
    answers.push(submission.post("other"));
    await Promise.race([answers.at(-1), until(() => submission.arrived > before)]);
  }
  link.heal();
  expect(await statuses([submission.first, answers.at(-1)!])).toEqual([202, 202]);
  expect(await writtenKeys()).toEqual(["first", "other"]);
});

test("a booking that waited too long is answered 503, and not written afterwards", async () => {
  await using submission = await busySubmission({ tasks: 10, timeout: 200 });
  const waiting = await submission.postAll(keysFrom("waiting", 10));
  expect(await statuses(waiting)).toEqual(Array(10).fill(503));
  link.heal();
  expect((await submission.first).status).toBe(202);
  expect((await submission.post("afterwards")).status).toBe(202);
  expect(await writtenKeys()).toEqual(["afterwards", "first"]);
});
