import { queryOnce } from "@holdfast/local-stack";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { finishTask } from "../test/finish-task.ts";
import { readStream } from "../test/read-stream.ts";
import { serve } from "../test/serve.ts";
import { idOf, openTrips, step, type TripService, token, trip } from "../test/trips.ts";

const resources = new AsyncDisposableStack();
let trips: TripService;
beforeAll(async () => {
  trips = resources.use(await openTrips());
});
afterAll(() => resources.disposeAsync());
beforeEach(() => trips.clear());

const names = Array.from({ length: 8 }, (_, index) => `book-${index}`);
/** An output of nearly the largest size, written not as JSON.stringify would. */
const outputOf = (name: string): string =>
  `{ "of": "${name}", "é": [${"[], ".repeat(60_000)}1.50] }`;

/** A processed task with outputs of two megabytes, whose workflow results in that. */
async function largeTask(output: object, workflow = "large"): Promise<string> {
  const steps = names.map((name) => ({ ...step, name, agent: "hotels", input: null, after: [] }));
  const name = `${workflow}.v1`;
  await trips.put(name, trip(name, { steps, output }));
  const id = idOf(await trips.submit({ workflow }));
  await queryOnce(
    trips.url,
    names
      .map((book) => {
        const row = `'${id}', '${book}', '${outputOf(book)}', 'It "failed" before.'`;
        return `insert into state.step_payloads (task_id, name, output, fault_detail) values (${row})`;
      })
      .join(";"),
  );
  await finishTask(trips.url, id);
  return id;
}

/** It is made of all outputs, too, though little is left of them. */
const little = names.map((name) => ({ $ref: `/steps/${name}/of` }));
const everything = names.map((name) => ({ $ref: `/steps/${name}` }));

test("a task of megabytes is answered as it is stored, with a result that is made of little of it", async () => {
  const id = await largeTask({ $ref: "/steps/book-3/of" });
  const answer = await trips.get(`/v1/tasks/${id}`);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  const task = answer.json();
  expect(task.result).toBe("book-3");
  expect(task.omitted).toBeUndefined();
  expect(task.input).toEqual({ guest: "Ada", nights: 2 });
  expect(task.steps.map(({ output }: { output: unknown }) => output)).toEqual(
    names.map((name) => JSON.parse(outputOf(name))),
  );
  expect(task.steps[0].faultDetail).toBe('It "failed" before.');
  expect((await trips.get(`/v1/tasks/${id}/result`)).json()).toMatchObject({ result: "book-3" });
});

test("a result that is longer than an answer may be is refused, and the task says that it has none of it", async () => {
  for (const [workflow, output] of Object.entries({ everything, little })) {
    const id = await largeTask(output, workflow);
    const task = (await trips.get(`/v1/tasks/${id}`)).json();
    expect([task.result, task.omitted]).toEqual([null, ["result"]]);
    expect(task.steps).toHaveLength(names.length);
    const refused = await trips.get(`/v1/tasks/${id}/result`);
    expect([refused.statusCode, refused.json().code]).toEqual([422, "task.result_too_large"]);
  }
});

test("a small task whose workflow names a value again and again has no result beyond a mebibyte", async () => {
  const guest = "x".repeat(20);
  const output = Array.from({ length: 30 }, () => ({ $ref: "/input/guests" }));
  await trips.put("small.v1", trip("small.v1", { inputSchema: {}, output }));
  const id = idOf(
    await trips.submit({
      workflow: "small",
      input: { guests: Array.from({ length: 4_000 }, () => guest) },
    }),
  );
  await finishTask(trips.url, id);
  const task = (await trips.get(`/v1/tasks/${id}`)).json();
  expect([task.result, task.omitted]).toEqual([null, ["result"]]);
  expect(task.input.guests).toHaveLength(4_000);
});

test("a stream and the attempts of a task of megabytes have it without its payloads", async () => {
  const id = await largeTask({ $ref: "/steps/book-3/of" });
  await using app = serve(trips.store, { token });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  await using client = await readStream(`${url}/v1/tasks/${id}/events`);
  await client.until((one) => one.events().some(({ event }) => event === "end"));
  const task = client.events().find(({ event }) => event === "task")?.data;
  expect(task).toMatchObject({ state: "processed", omitted: ["payloads", "result"], result: null });
  expect(client.text().length).toBeLessThan(100_000);
  expect((await trips.get(`/v1/tasks/${id}/attempts`)).json()).toMatchObject({ truncated: true });
});

async function withMoves(count: number, note: string): Promise<string> {
  const id = idOf(await trips.submit());
  await queryOnce(
    trips.url,
    `insert into state.events (task_id, action, from_state, to_state, actor, note)
     select '${id}', 'pause', 'pending', 'pending', 'ann', '${note}' from generate_series(1, ${count})`,
  );
  return id;
}

test.each([
  ["many", 2_500, "short", { first: 1_000, pages: 3 }],
  ["long", 1_500, "x".repeat(2_000), { first: 230, pages: 7 }],
])("a history of %s entries comes in pages of a bounded size", async (_, count, note, expected) => {
  const id = await withMoves(count, note);
  const ids: string[] = [];
  let [cursor, pages, first] = ["", 0, 0];
  for (let next: string | null = "0"; next !== null; cursor = next ?? "") {
    const query = pages === 0 ? "" : `?after=${cursor}`;
    const page = (await trips.get(`/v1/tasks/${id}/history${query}`)).json();
    ids.push(...page.items.map((entry: { id: string }) => entry.id));
    next = page.next;
    pages += 1;
    if (pages === 1) first = page.items.length;
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual((await trips.store.findEvents({ taskId: id })).map((entry) => entry.id));
  expect(Math.abs(first - expected.first)).toBeLessThan(20);
  expect(pages).toBe(expected.pages);
  const one = (await trips.get(`/v1/tasks/${id}/history?limit=1`)).json();
  expect(one).toEqual({ items: [expect.objectContaining({ id: ids[0] })], next: ids[0] });
});
