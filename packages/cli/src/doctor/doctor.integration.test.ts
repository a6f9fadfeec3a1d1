import { deadReplyQueue, replyQueue, submissionQueue } from "@holdfast/contracts";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type OperatedBroker, openTestBroker, readQueues } from "../../test/broker.ts";
import { openTestStore, type TestStore, workflowOf } from "../../test/fixtures.ts";
import { runCommand } from "../run-command.ts";
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";

const agents = ["inventory", "payments"];

let store: TestStore;
let operated: OperatedBroker;
let cleanUps: AsyncDisposableStack;

beforeAll(async () => {
  store = await openTestStore();
  operated = await openTestBroker(agents);
});
afterAll(async () => {
  await operated[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

async function startServices(queues = readQueues(agents)): Promise<void> {
  cleanUps = new AsyncDisposableStack();
  cleanUps.use(await operated.listen(queues));
  await operated.heard(queues);
}
afterEach(() => cleanUps.disposeAsync());

const without = (queue: string) => readQueues(agents).filter((one) => one !== queue);

const stateOf = (findings: readonly Finding[], code: string) =>
  findings.find((one) => one.code === code)?.state;

const environment = () => ({
  STATE_STORE_URL: store.url,
  BROKER_URL: operated.broker.url,
  BROKER_MANAGEMENT_URL: operated.managementUrl,
});

interface Looked {
  readonly exitCode: number;
  readonly findings: readonly Finding[];
}

async function lookAt(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = environment(),
): Promise<Looked> {
  const { stdout, stderr, exitCode } = await runCommand(["doctor", "--json", ...args], env);
  expect(stderr).toBe("");
  return { exitCode, ...(JSON.parse(stdout) as Omit<Looked, "exitCode">) };
}

/** What doctor says of pauses. */
const pausesSeen = async () => {
  const { findings } = await lookAt();
  return { ...findings.find(({ code }) => code === "operators.pauses") };
};

/** The servers of a test run need not survive a crash of the machine. */
const wrongs = ({ findings }: Looked) =>
  findings.filter(({ state, code }) => state === "wrong" && code !== "store.durability");

/** There is this one thing that is wrong, and nothing else. */
function expectOnly(looked: Looked, code: string, ...texts: readonly string[]): void {
  expect(looked.exitCode).toBe(1);
  const found = wrongs(looked);
  expect(found.map((one) => one.code)).toEqual(found.map(() => code));
  const all = found.map(({ text, advice }) => `${text} → ${advice}`).join("\n");
  for (const text of texts) expect(all).toContain(text);
}

/** Changes something for one test. */
async function forNow(change: string, back: string): Promise<void> {
  await store.query(change);
  cleanUps.defer(async () => void (await store.query(back)));
}

test("doctor finds no problem in a sound system", async () => {
  await startServices();
  const looked = await lookAt();
  expect(wrongs(looked)).toEqual([]);
  expect(looked.findings.filter(({ state }) => state === "unseen")).toEqual([]);
  expect(looked.findings.find(({ code }) => code === "agents.present")?.text).toContain(
    "inventory, payments",
  );
});

test("doctor names the settings with which the server can lose data", async () => {
  await startServices();
  const [settings] = await store.query<{ fsync: string }>("show fsync");
  const looked = await lookAt();
  expect(stateOf(looked.findings, "store.durability")).toBe(
    settings?.fsync === "on" ? "fine" : "wrong",
  );
});

describe("finds in the state store", () => {
  test("a transaction that was left open", async () => {
    await startServices();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const held = store.query("begin; select 1; select pg_sleep(60)").catch(resolve);
    cleanUps.defer(async () => {
      await store.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'begin; select 1%'",
      );
      await Promise.race([held, begun]);
    });
    let looked = await lookAt(["--open-for", "1ms"]);
    while (!wrongs(looked).some(({ code }) => code === "store.transactions")) {
      looked = await lookAt(["--open-for", "1ms"]);
    }
    expectOnly(looked, "store.transactions", "has been open for", "pg_terminate_backend(");
    expect(wrongs(await lookAt())).toEqual([]);
  });

  test("a table without autovacuum", async () => {
    await startServices();
    await forNow(
      "alter table state.outbox set (autovacuum_enabled = false)",
      "alter table state.outbox reset (autovacuum_enabled)",
    );
    expectOnly(await lookAt(), "store.vacuum", "state.outbox", "reset (autovacuum_enabled)");
  });

  test("a store of an earlier checkout", async () => {
    await startServices();
    await forNow(
      "update state.migrations set name = '0024_gone' where name = '0001_holdfast'",
      "update state.migrations set name = '0001_holdfast' where name = '0024_gone'",
    );
    expectOnly(await lookAt(), "store.schema", "0024_gone", "use an empty database");
  });

  test("a missing partition for the next month", async () => {
    await startServices();
    await forNow(
      `do $$ declare parent text; month date := (select max(month) from state.partitions); begin
         foreach parent in array state.partitioned_tables() loop
           execute 'drop table ' || state.partition_of(parent, month);
         end loop; end $$`,
      "select state.make_partitions()",
    );
    expectOnly(await lookAt(), "store.partitions", "the next month", "run a Supervisor");
  });

  test("that the clock of Postgres was set back", async () => {
    await startServices();
    await store.submit();
    await forNow(
      "update state.tasks set updated_at = now() + interval '3 hours', version = version + 1",
      "truncate state.tasks, state.steps, state.events",
    );
    expectOnly(await lookAt(), "store.clock_jumped", "was set back by 3 h", "by NTP");
  });

  test.each([
    [
      "set at = now() - interval '120 days', ahead_since = now(), ahead_at = now()",
      "nothing is deleted",
    ],
    ["set at = now() - interval '120 days'", "no Supervisor has run since"],
  ])("that the clock of Postgres jumped ahead: %s", async (jump, text) => {
    await startServices();
    await forNow(
      `update state.trusted_clock ${jump}`,
      "update state.trusted_clock set at = now(), ahead_since = null, ahead_at = null",
    );
    expectOnly(await lookAt(), "store.clock_jumped", "ahead of the last time", text);
  });

  test("pauses of operators, which are no problem", async () => {
    const wish = { actor: "ann", reason: "stock-taking" };
    await startServices();
    expect(await pausesSeen()).toMatchObject({ state: "fine", text: "nothing is paused" });
    await store.store.pause({ kind: "agent", name: "payments", ...wish });
    const taskId = await store.submit();
    await store.store.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "ann" });
    expect(await pausesSeen()).toMatchObject({
      state: "fine",
      text: expect.stringMatching(
        /paused: the Agent payments by ann since \S+Z \(stock-taking\); 1 order$/,
      ),
    });
    await store.store.resume({ kind: "agent", name: "payments", ...wish });
    await store.store.applyEvents([{ taskId, event: { kind: "resumed" } }], { actor: "ann" });
    await store.query("truncate state.tasks, state.steps, state.events");
  });

  test("that it is missing", async () => {
    await startServices();
    await using empty = await testDatabase();
    const looked = await lookAt([], { ...environment(), STATE_STORE_URL: empty.url });
    expectOnly(looked, "store.schema", "no state store");
  });

  test("a Scheduler that cannot record what it reads, until it can", async () => {
    await startServices();
    const standstill = { queue: replyQueue, messages: 3, failures: 12, forMs: 40_000, error: "no" };
    const keep = (standstills: readonly (typeof standstill)[]) =>
      store.store.recordStandstills({ instance: "scheduler-1", standstills });
    await keep([standstill]);
    expectOnly(
      await lookAt(),
      "consumers.failing",
      // The seconds go on while doctor starts.
      `scheduler-1 cannot record 3 messages of ${replyQueue}: 12 failures in 4`,
      " s, no",
    );
    await keep([]);
    expect(wrongs(await lookAt())).toEqual([]);
  });

  test("dead letters and unexpected replies, but no late ones", async () => {
    await startServices();
    const letter = { queue: replyQueue, messageId: null, type: null, sender: null };
    await store.store.recordDeadLetters([
      { ...letter, reason: "rejected", body: Buffer.from("?") },
    ]);
    const taskId = await store.submit();
    const reply = { taskId, step: "charge", attempt: 1, sender: "shipping", reply: "{}" };
    await store.store.recordRejectedReplies([
      { ...reply, reason: "wrong_agent" },
      { ...reply, reason: "not_processing" },
    ]);
    cleanUps.defer(
      async () => void (await store.query("truncate state.dead_letters, state.rejected_replies")),
    );
    const found = wrongs(await lookAt());
    expect(found.map(({ code, text }) => [code, text.split(":")[0]])).toEqual([
      ["messages.rejected", "replies of shipping were refused (wrong_agent)"],
      ["messages.dead", `dead letters in ${replyQueue} (rejected)`],
    ]);
  });

  test("unacknowledged alerts and unsent notifications", async () => {
    await startServices();
    await store.query(
      `insert into state.alerts (task_id, episode, kind, code, at)
       values (gen_random_uuid(), 1, 'task.halted', 'x.y', now() - interval '2 minutes');
       insert into state.outbox (subject, channel, seq, body, at)
       values ('x', 'alert', 1, '{}', now() - interval '2 minutes')`,
    );
    cleanUps.defer(async () => void (await store.query("truncate state.alerts, state.outbox")));
    const found = wrongs(await lookAt());
    expect(found.map(({ code }) => code)).toEqual(["alerts.unheard", "notices.unsent"]);
  });

  test("a difference between its clock and this machine's", async () => {
    await startServices();
    const { findings } = await examine({
      stateStoreUrl: store.url,
      brokerUrl: operated.broker.url,
      managementUrl: null,
      now: () => Date.now() + 90_000,
      openFor: 60_000,
      consumerTimeout: null,
    });
    expect(findings.find(({ code }) => code === "store.clock")).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("90 s ahead of the store's"),
    });
  });
});

test("doctor finds a definition that cannot be used", async () => {
  await startServices();
  await store.store.registerWorkflow(
    workflowOf("spoilt.v1", [{ name: "reserve", agent: "inventory" }]),
  );
  await store.query("update state.workflows set definition = '{}' where name = 'spoilt.v1'");
  cleanUps.defer(
    async () => void (await store.query("delete from state.workflows where name = 'spoilt.v1'")),
  );
  expectOnly(
    await lookAt(),
    "workflows.definitions",
    "the definition of spoilt.v1 cannot be used: ",
  );
});

describe("finds at the broker", () => {
  test("an Agent without a consumer", async () => {
    await startServices(without("agent.payments"));
    expectOnly(
      await lookAt(),
      "agents.absent",
      "no process serves the Agent payments: shopping.v1",
    );
  });

  test("an Agent that has no queue", async () => {
    await startServices();
    await store.store.registerWorkflow(
      workflowOf("shipping.v1", [{ name: "ship", agent: "shipping" }]),
    );
    cleanUps.defer(
      async () =>
        void (await store.query("delete from state.workflows where name = 'shipping.v1'")),
    );
    expectOnly(await lookAt(), "agents.unroutable", "the Agent shipping has no queue: shipping.v1");
  });

  test("a step whose limit exceeds the broker's consumer timeout", async () => {
    await startServices();
    await store.store.registerWorkflow(
      workflowOf("assembly.v1", [
        { name: "assemble", agent: "inventory", completeWithin: 45 * 60_000 },
      ]),
    );
    cleanUps.defer(
      async () =>
        void (await store.query("delete from state.workflows where name = 'assembly.v1'")),
    );
    expectOnly(
      await lookAt(),
      "agents.consumer_timeout",
      "assembly.v1/assemble gives the Agent inventory 45 min",
    );
    expect(wrongs(await lookAt(["--consumer-timeout", "2h"]))).toEqual([]);
  });

  test("that no Scheduler and no submission service runs", async () => {
    await startServices(without(replyQueue).filter((queue) => queue !== submissionQueue));
    expectOnly(
      await lookAt(),
      "services.absent",
      "no Scheduler runs",
      "no submission service runs",
    );
  });

  test("a queue that is missing", async () => {
    await startServices(without(deadReplyQueue));
    await operated.broker.deleteQueue(deadReplyQueue);
    cleanUps.defer(() => declareAnew(deadReplyQueue, { "x-delivery-limit": 1_000_000 }));
    expectOnly(await lookAt(), "broker.topology", `the queue ${deadReplyQueue} is missing`);
  });

  test("a delivery limit that differs from Holdfast's", async () => {
    await startServices(without("agent.payments"));
    await redeclarePayments({ ...toExpired, "x-delivery-limit": 5 });
    cleanUps.use(await operated.listen(["agent.payments"]));
    await operated.heard(readQueues(agents));
    expectOnly(
      await lookAt(),
      "broker.topology",
      "the queue agent.payments is declared otherwise: x-delivery-limit is 5 and should be 20",
    );
  });

  test("a queue whose dead letters would be dropped", async () => {
    await startServices(without("agent.payments"));
    await redeclarePayments({ "x-delivery-limit": 20 });
    cleanUps.use(await operated.listen(["agent.payments"]));
    await operated.heard(readQueues(agents));
    expectOnly(await lookAt(), "broker.topology", "x-dead-letter-exchange is none");
  });

  test("a binding that is missing", async () => {
    await startServices();
    const binding = `bindings/:vhost/e/holdfast.replies/q/${replyQueue}`;
    await operated.manage("DELETE", `${binding}/reply.%23`);
    cleanUps.defer(() => post(binding, { routing_key: "reply.#" }));
    expectOnly(await lookAt(), "broker.topology", `${replyQueue} to holdfast.replies is missing`);
  });

  test("a policy that drops messages and lowers the delivery limit", async () => {
    await startServices();
    await operated.manage("PUT", "policies/:vhost/careless", {
      pattern: "^agent\\.payments$",
      definition: { "max-length": 10, "delivery-limit": 3 },
      "apply-to": "queues",
    });
    cleanUps.defer(() => operated.manage("DELETE", "policies/:vhost/careless"));
    expectOnly(
      await lookAt(),
      "broker.policies",
      "the policy careless gives agent.payments max-length = 10: messages are dropped",
      "lowers the delivery limit of agent.payments from 20 to 3",
    );
  });

  test("too few connections", async () => {
    await startServices();
    cleanUps.use(await operated.listen());
    await operated.manage("PUT", "vhost-limits/:vhost/max-connections", { value: 8 });
    cleanUps.defer(() => operated.manage("DELETE", "vhost-limits/:vhost/max-connections"));
    expectOnly(await lookAt(), "broker.connections", "7 of 8 connections are taken");
  });
});

/** Declares a quorum queue, as only an operator would. */
const declareAnew = (queue: string, more: Readonly<Record<string, string | number>>) =>
  operated.manage("PUT", `queues/:vhost/${queue}`, {
    durable: true,
    arguments: { "x-queue-type": "quorum", ...more },
  });

const toExpired = { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "requests.expired" };

/** For one test, with other arguments than ours. */
async function redeclarePayments(more: Readonly<Record<string, string | number>>): Promise<void> {
  const declare = async (arguments_: typeof more) => {
    await operated.broker.deleteQueue("agent.payments");
    await declareAnew("agent.payments", arguments_);
  };
  await declare(more);
  cleanUps.defer(() => declare({ ...toExpired, "x-delivery-limit": 20 }));
}

const post = (path: string, body: object) => operated.manage("POST", path, body);

describe("reports what it could not check", () => {
  test("without the HTTP API", async () => {
    await startServices();
    const { BROKER_MANAGEMENT_URL: _, ...env } = environment();
    const looked = await lookAt([], env);
    expect(wrongs(looked)).toEqual([]);
    expect(looked.findings.find(({ state }) => state === "unseen")).toMatchObject({
      code: "broker.management",
      advice: expect.stringContaining("BROKER_MANAGEMENT_URL"),
    });
  });

  test("with a wrong password for the HTTP API", async () => {
    await startServices();
    const url = new URL(operated.managementUrl);
    url.password = "wrong";
    const { findings } = await lookAt(["--management-url", url.href]);
    expect(findings.find(({ state }) => state === "unseen")?.text).toContain("answers 401");
  });

  test("as a user who may not see the queues", async () => {
    await startServices();
    const name = new URL(operated.broker.url).username;
    const nothing = { configure: "^$", write: "^$", read: "^$" };
    await operated.manage("PUT", `permissions/:vhost/${name}`, nothing);
    cleanUps.defer(() =>
      operated.manage("PUT", `permissions/:vhost/${name}`, {
        configure: ".*",
        write: ".*",
        read: ".*",
      }),
    );
    const { findings } = await lookAt(["--management-url", ""]);
    expect(findings.filter(({ state }) => state === "unseen")).toContainEqual(
      expect.objectContaining({
        code: "broker.topology",
        text: expect.stringContaining(replyQueue),
      }),
    );
    // The HTTP API shows what AMQP does not.
    const seen = await lookAt();
    expect(seen.findings.filter(({ state }) => state === "unseen")).toEqual([]);
  });

  test("as a user who may not see other users' transactions", async () => {
    await startServices();
    const url = new URL(store.url);
    url.searchParams.set("options", "-c role=holdfast_observer");
    const { findings } = await lookAt(["--state-store-url", url.href]);
    expect(findings.find(({ code }) => code === "store.transactions")).toMatchObject({
      state: "unseen",
      advice: "grant pg_read_all_stats to it",
    });
  });

  test.each([
    ["STATE_STORE_URL", "store.reachable", "broker.version"],
    ["BROKER_URL", "broker.reachable", "store.version"],
  ])("when %s leads nowhere, and looks at the other server", async (name, code, other) => {
    await startServices();
    const url = Object.assign(new URL(environment()[name as "BROKER_URL"]), { port: "1" });
    const { exitCode, findings } = await lookAt([], { ...environment(), [name]: url.href });
    expect(exitCode).toBe(2);
    expect(findings.find((one) => one.code === code)?.advice).toContain(name);
    expect(stateOf(findings, other)).toBe("fine");
  });
});

test("doctor prints each problem and what to do about it", async () => {
  await startServices(without("agent.payments"));
  const { stdout, exitCode } = await runCommand(["doctor"], environment());
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^✓ store\.version +Postgres 1/);
  expect(stdout).toMatch(
    /✗ agents\.absent +no process serves the Agent payments.*\n +→ start the Agent/,
  );
});
