import type { Delivery } from "@holdfast/messaging";
import { submitTasks, type TransactionClient } from "@holdfast/state-store";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openApplication, takeAllIn } from "../test/application.ts";
import { as, principals } from "../test/people.ts";
import { releasing, simple } from "../test/releasing.ts";
import { serve } from "../test/serve.ts";
import { authorization, openTrips, type TripService, token } from "../test/trips.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { takeTasks } from "./take-tasks.ts";
import { workflowDirectory } from "./workflow-directory.ts";

let trips: TripService;
let app: ReturnType<typeof serve>;
let application: TransactionClient;

beforeAll(async () => {
  trips = await openTrips();
  for (const definition of [{ ...releasing, collection: "releases" }, simple]) {
    await trips.store.registerWorkflow(definition);
  }
  app = serve(trips.store, { token, principals });
  application = await openApplication(trips.url, "shop");
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await trips[Symbol.asyncDispose]();
});

type Headers = Readonly<Record<string, string>>;
const operator = { authorization };
const input = { amount: 1, requestedBy: "edsger" };
const submitterUnknown = { status: 403, code: "task.submitter_unknown" };

const post = async (url: string, payload: object, headers: Headers = {}) =>
  (await app.inject({ method: "POST", url, payload, headers })).json<Record<string, unknown>>();
const submit = (workflow: string, headers: Headers = {}) =>
  post("/v1/tasks", { workflow, input }, headers);
const submittedBy = async (id: unknown, headers: Headers = operator) =>
  (await app.inject({ url: `/v1/tasks/${String(id)}`, headers })).json<{ submittedBy: unknown }>()
    .submittedBy;

describe("over HTTP", () => {
  test("it is the principal, which operators and it alone see", async () => {
    for (const id of [
      (await submit("simple", as("checkout")))["id"],
      (await post("/v1/releases", input, as("checkout")))["id"],
    ]) {
      expect(await submittedBy(id)).toBe("checkout");
      expect(await submittedBy(id, as("checkout"))).toBe("checkout");
      expect(await submittedBy(id, as("ada"))).toBeNull();
      expect(await submittedBy(id, {})).toBeNull();
      expect(await submittedBy(id, { authorization: "Bearer another" })).toBeNull();
    }
  });

  test("it is unknown without a token, and with that of operators, who are many", async () => {
    for (const headers of [{}, operator]) {
      expect(await submittedBy((await submit("simple", headers))["id"])).toBeNull();
      expect(await submit("releasing", headers)).toMatchObject(submitterUnknown);
      expect(await post("/v1/releases", input, headers)).toMatchObject(submitterUnknown);
    }
  });

  test("a token that is none of ours submits nothing, and sends no signal", async () => {
    const { id } = await submit("releasing", as("checkout"));
    const foreign = { authorization: "Bearer another" };
    const wrong = { status: 401, code: "auth.token_wrong" };
    const payload = { payload: { auditor: "root" } };
    const byKey = { workflow: "releasing", businessKey: "k", id: "1", ...payload };
    expect(await submit("simple", foreign)).toMatchObject(wrong);
    expect(await post("/v1/releases", input, foreign)).toMatchObject(wrong);
    const signals = `/v1/tasks/${String(id)}/signals`;
    expect(await post(`${signals}/ready`, payload, foreign)).toMatchObject(wrong);
    expect(await post("/v1/signals/ready", byKey, foreign)).toMatchObject(wrong);
    const valid = { authorization: "Bearer valid" };
    expect(await submit("simple", valid)).toMatchObject({ status: 403, code: "access.denied" });
    const read = await app.inject({ url: signals, headers: foreign });
    expect(read.json()).toMatchObject({ items: [] });
  });

  test("wrong tokens of an address are refused for a while, and right ones are not", async () => {
    await using guessed = serve(trips.store, { token, principals });
    const guess = (headers: Headers) =>
      guessed.inject({ url: "/v1/approvals", headers }).then(({ statusCode }) => statusCode);
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await guess({ authorization: `Bearer guess-${tries}` })).toBe(401);
    }
    expect(await guess({ authorization: "Bearer guess" })).toBe(429);
    expect(await guess(as("ada"))).toBe(200);
    expect(await guess(operator)).toBe(200);
  });

  test("without an access file any other token is that of a stranger", async () => {
    await using open = serve(trips.store, { token });
    const headers = { authorization: "Bearer of a gateway" };
    const payload = { workflow: "simple", input };
    const sent = { method: "POST", url: "/v1/tasks", payload, headers } as const;
    expect((await open.inject(sent)).statusCode).toBe(202);
  });

  test("the sender of a signal is the principal, whose id strangers do not read", async () => {
    const { id } = await submit("releasing", as("checkout"));
    const url = `/v1/tasks/${String(id)}/signals`;
    const payload = { payload: { auditor: "root" }, actor: "grace" };
    await post(`${url}/ready`, payload, as("ada"));
    const senders = async (headers: Headers) =>
      (await app.inject({ url, headers })).json<{ items: readonly { sentBy: string }[] }>().items;
    expect(await senders(operator)).toMatchObject([{ sentBy: "ada" }]);
    expect(await senders(as("ada"))).toMatchObject([{ sentBy: "ada" }]);
    expect(await senders(as("grace"))).toMatchObject([{ sentBy: "principal" }]);
    expect(await senders({})).toMatchObject([{ sentBy: "principal" }]);
  });
});

test("in a transaction it is the login", async () => {
  const [submitted] = await submitTasks(application, [{ workflow: "releasing", input }]);
  const take = takeEnqueued({
    store: trips.store,
    directory: workflowDirectory(trips.store),
    hint: () => {},
    log: { warn: () => {}, error: () => {} },
    failpoint: () => {},
    actor: "submission-1",
  });
  await takeAllIn(trips.url, take);
  expect(await submittedBy(submitted?.taskId)).toBe("application:shop");
});

describe("by message", () => {
  /** Takes a message of a user of the broker, and says by which code it was refused. */
  async function take(workflow: string, userId: string | undefined) {
    const messageId = crypto.randomUUID();
    let code: unknown = null;
    const taking = takeTasks({
      store: trips.store,
      directory: workflowDirectory(trips.store),
      workflow,
      hint: () => {},
      log: { warn: (fields: unknown) => void ({ code } = fields as { code: unknown }) },
      failpoint: () => {},
      actor: "test",
      keepKeysFor: 60_000,
      ownsStatusQueue: () => true,
    });
    const delivery = { body: Buffer.from(JSON.stringify(input)), messageId, userId };
    await taking([{ ...delivery, reject: () => {} } as unknown as Delivery]);
    return { code, messageId };
  }

  test("it is the user of the broker, and a message without one is refused", async () => {
    const { code, messageId } = await take("releasing", "shop");
    expect(code).toBeNull();
    const repeated = { workflow: "releasing", input };
    const headers = { "idempotency-key": messageId, ...as("checkout") };
    const { id } = await post("/v1/tasks", repeated, headers);
    expect(await submittedBy(id)).toBe("broker:shop");
    expect(await take("releasing", undefined)).toMatchObject({ code: "task.submitter_unknown" });
    expect(await take("simple", undefined)).toMatchObject({ code: null });
  });
});
