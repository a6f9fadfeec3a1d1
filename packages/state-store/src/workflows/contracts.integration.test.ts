import { contractHashes } from "@holdfast/contracts";
import { type Json, requeuesUntilAlert, type WorkflowDefinition } from "@holdfast/domain";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Pool } from "pg";
import {
  claimAll,
  failed,
  openTestStores,
  submitMany,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { migrate } from "../migrate/migrate.ts";
import { TakesLong } from "../postgres/transaction.ts";
import type { StateStore } from "../roles.ts";
import { breakingContracts } from "./breaking-contracts.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let operations: StateStore;
beforeAll(async () => {
  ({ db, submission, scheduler, operations } = await openTestStores());
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

const text = { type: "string" };
const object = (fields: readonly string[], optional: readonly string[] = []) => ({
  type: "object",
  properties: Object.fromEntries([...fields, ...optional].map((field) => [field, text])),
  required: [...fields],
});

function openPool(connectionString: string): Pool & AsyncDisposable {
  const pool = new Pool({ connectionString, max: 1 });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

/** A workflow of one step, `pay`, by this contract. */
function paying(
  name: string,
  input: { readonly [key: string]: Json },
  given: Json = { iban: "x" },
): WorkflowDefinition {
  const operation = `pay${name.replace(/\..*/, "")}`;
  return {
    ...testWorkflow([{ name: "pay", operation, input: given }], name),
    inputs: { [`agent.${operation}`]: input },
    outputs: { [`agent.${operation}`]: object([]) },
  };
}

const hashOf = (definition: WorkflowDefinition): string =>
  Object.values(contractHashes(definition))[0]!;

/** Has an instance announce one operation, by this contract; null: by none. */
const announce = (instance: string, operation: string, contract: string | null, everyMs = 60_000) =>
  scheduler.recordHeartbeats([
    {
      agent: "agent",
      instance,
      capacity: 5,
      inFlight: 0,
      breaker: "closed",
      openForMs: 0,
      everyMs,
      operations: [operation, "other"],
      ...(contract === null ? {} : { contracts: [contract, ""] }),
    },
  ]);

const leave = (instance: string) =>
  db.query(`update state.agents set lives_until = now() where instance = '${instance}'`);

describe("a request that an instance cannot read", () => {
  const old = paying("give.v1", object(["iban"]));
  const operation = "paygive";
  const own = "00000000aaaa";

  /** The instance with the contract `own` refuses the step so often in a row. */
  async function refuse(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await db.query(
        `update state.steps set not_before = now(), rank = now() where process_state = 'pending'`,
      );
      const [claim] = await claimAll(scheduler);
      const answer = { code: "step.contract_broken", transient: false, attempted: false } as const;
      const event = failed(claim!, {
        ...answer,
        effect: "none",
        redelivered: false,
        contract: own,
      });
      const reported = { taskId: claim!.taskId, event, faultDetail: "/reference: Required" };
      await scheduler.applyEvents([reported], { actor: "scheduler-1" });
    }
  }

  const seen = async () =>
    (
      await db.query<Readonly<Record<string, unknown>>>(
        `select tasks.process_state as task, tasks.goal, steps.process_state as step, steps.fault_code,
                steps.failure_count, steps.may_have_effect, step_payloads.fault_detail
           from state.tasks join state.steps using (task_id)
           left join state.step_payloads using (task_id, name)
          where workflow = 'give.v1' and name = 'pay' order by task_id desc limit 1`,
      )
    )[0];

  test("goes to another instance, however often it comes back, while one has the contract", async () => {
    await operations.registerWorkflow(old);
    await submitOne(submission, { workflow: "give.v1" });
    await announce("newer", operation, own);
    await announce("older", operation, hashOf(old));
    await refuse(requeuesUntilAlert + 2);
    expect(await seen()).toMatchObject({
      task: "processing",
      goal: "do",
      step: "pending",
      fault_code: "step.request_unreadable",
      failure_count: 0,
      may_have_effect: false,
    });
  });

  test("halts its task once none has it, with the contracts of all, and undoes nothing", async () => {
    await leave("older");
    await refuse(1);
    const found = await seen();
    expect(found).toMatchObject({ task: "halted", goal: "do", step: "error", failure_count: 0 });
    expect(found?.["fault_detail"]).toBe(
      `No running instance of agent is known to read ${operation} as give.v1 asks for it, which was made with the contract ${hashOf(old)}: newer has ${own}. Run an instance that has it, then resubmit the step. The last one said: /reference: Required`,
    );
    const alerts = await db.query<{ body: unknown }>(
      "select body from state.outbox where channel = 'alert'",
    );
    expect(alerts.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({
        kind: "task.halted",
        code: "step.request_unreadable",
        detail: found?.["fault_detail"],
      }),
    );
  });

  test("is refused for good by an instance with the workflow's own contract: that is its answer", async () => {
    await submitMany(submission, 1, { workflow: "give.v1" });
    const [claim] = await claimAll(scheduler);
    const answer = { code: "step.contract_broken", transient: false, attempted: false } as const;
    const event = failed(claim!, { ...answer, effect: "none", contract: hashOf(old) });
    await scheduler.applyEvents([{ taskId: claim!.taskId, event }], { actor: "scheduler-1" });
    expect(await seen()).toMatchObject({ goal: "undo", fault_code: "step.contract_broken" });
  });
});

describe("instances that differ from what a stored workflow needs", () => {
  const first = paying("roll.v1", object(["iban"]));
  const second = paying("roll.v2", object(["iban"], ["note"]), { iban: "x", note: "y" });
  const operation = "payroll";
  const found = async () =>
    (await operations.findContractDifferences({ workflows: null }))
      .filter(({ workflow }) => workflow.startsWith("roll."))
      .map(({ workflow, names, reading, why }) => [workflow, names, reading, why]);

  test("are none while all have its contract, or announce none", async () => {
    await operations.registerWorkflow(first);
    await leave("newer");
    await announce("a", operation, hashOf(first));
    await announce("silent", operation, null);
    expect(await found()).toEqual([]);
  });

  test("are found by name, with how they read it and why they cannot", async () => {
    await announce("b", operation, "00000000bbbb");
    expect(await found()).toEqual([["roll.v1", ["b"], "unknown", ""]]);
    await operations.registerWorkflow(second);
    await announce("b", operation, hashOf(second));
    const drops = "knows nothing of /note, which the workflow gives";
    expect(await found()).toEqual([
      ["roll.v1", ["b"], "fits", ""],
      ["roll.v2", ["a"], "unfit", drops],
    ]);
    await announce("c", "renamed", "00000000cccc");
    expect(await found()).toContainEqual([
      "roll.v1",
      ["c"],
      "unfit",
      `has no operation ${operation}`,
    ]);
  });
});

test("contracts of stored workflows are compared too, though no instance has them: one may start at any time", async () => {
  const older = paying("later.v1", object(["iban"]));
  const newer = paying("later.v2", object(["iban"], ["note"]), { iban: "x", note: "y" });
  await operations.registerWorkflow(older);
  await operations.registerWorkflow(newer);
  const found = async (workflows: readonly string[] | null) =>
    (await scheduler.findContractDifferences({ workflows }))
      .filter(({ workflow, offered }) => workflow.startsWith("later.") && offered !== "")
      .map(({ workflow, offered, instances, names, reading }) => ({
        workflow,
        offered,
        instances,
        names,
        reading,
      }));
  expect(await found(null)).toEqual([]);
  const none = { instances: 0, names: [] };
  const [ofOlder, ofNewer] = [
    { workflow: "later.v1", offered: hashOf(newer), ...none, reading: "fits" },
    { workflow: "later.v2", offered: hashOf(older), ...none, reading: "unfit" },
  ];
  expect(await found(["later.v1", "later.v2"])).toEqual([ofOlder, ofNewer]);
  expect(await found(["later.v2"])).toEqual([ofNewer]);
});

test("however many versions are stored, a workflow is compared with the latest contracts of its operations alone", async () => {
  const versions = Array.from({ length: 40 }, (_, index) =>
    paying(`crowd.v${index + 1}`, object(["iban"], [`note${index}`])),
  );
  for (const one of versions) await operations.registerWorkflow(one);
  const found = await scheduler.findContractDifferences({ workflows: ["crowd.v1"] });
  const offered = found.map((one) => one.offered).filter((contract) => contract !== "");
  expect(new Set(offered)).toEqual(new Set(versions.slice(-32).map(hashOf)));
  await using pool = openPool(db.url);
  const reads: string[] = [];
  const next = paying("crowd.v41", object(["iban"]));
  const breaking = breakingContracts(next, {
    pool,
    contracts: contractHashes(next),
    readDefinition: async (_, name) => {
      reads.push(name);
      return null;
    },
  });
  const failure = await breaking.mustNotBreak(pool).catch((error: unknown) => error);
  await (failure as TakesLong).finish();
  expect(new Set(reads)).toEqual(new Set(versions.slice(-10).map(({ name }) => name)));
});

describe("a contract that breaks that of a workflow in use", () => {
  const first = paying("break.v1", object(["iban"]));
  const second = paying("break.v2", object(["iban", "reference"]), { iban: "x", reference: "y" });

  test("is refused when a workflow is stored, with what to do", async () => {
    await operations.registerWorkflow(first);
    await expect(operations.registerWorkflow(second)).rejects.toMatchObject({
      code: "workflow.contract_breaks",
      message:
        "break.v2: agent.paybreak newly requires /reference, as break.v1 does not give it\nGive the changed operation a name of its own, beside the old one, make the field optional, or retire the workflows that do not give it",
    });
    const stored = await operations.findWorkflows();
    expect(stored.map(({ name }) => name)).not.toContain("break.v2");
  });

  test("is taken once no workflow in use breaks by it, and where it only adds what may be left out", async () => {
    const wider = paying("break.v3", object(["iban"], ["note"]));
    expect(await operations.registerWorkflow(wider)).toBe("created");
    for (const name of ["break.v1", "break.v3"]) {
      await operations.retireWorkflow({ name, actor: "ops", reason: "x" });
    }
    expect(await operations.registerWorkflow(second)).toBe("created");
    // What is stored is stored again at each start.
    await operations.reinstateWorkflow({ name: "break.v1" });
    expect(await operations.registerWorkflow(second)).toBe("same");
  });
});

test.each([1, 5])(
  "contracts are compared between two transactions, however few: %i",
  async (count) => {
    const family = `compared${count}`;
    const versions = Array.from({ length: count }, (_, index) =>
      paying(`${family}.v${index + 1}`, object(["iban"], [`note${index}`])),
    );
    for (const one of versions) await operations.registerWorkflow(one);
    await using pool = openPool(db.url);
    const read = new Map(versions.map((one) => [one.name, one]));
    const reads: string[] = [];
    const next = paying(`${family}.v10`, object(["iban", "reference"]));
    const breaking = breakingContracts(next, {
      pool,
      contracts: contractHashes(next),
      readDefinition: async (_, name) => {
        reads.push(name);
        return read.get(name) ?? null;
      },
    });
    const failure = await breaking.mustNotBreak(pool).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TakesLong);
    expect(reads).toEqual([]);
    await (failure as TakesLong).finish();
    expect(reads.toSorted()).toEqual(versions.map(({ name }) => name));
    const last = `${family}.v${count} does not give it`;
    await expect(breaking.mustNotBreak(pool)).rejects.toThrow(last);
    expect(reads).toHaveLength(versions.length);
    await expect(operations.registerWorkflow(next)).rejects.toThrow(last);
    const optional = paying(`${family}.v11`, object(["iban"], ["x"]));
    expect(await operations.registerWorkflow(optional)).toBe("created");
  },
);

test("a definition that is stored with another hash is the same if it means the same", async () => {
  const definition = paying("meaning.v1", object(["iban"], ["note"]));
  await operations.registerWorkflow(definition);
  // An earlier release had another hash of the same content.
  await db.query("update state.workflows set content_hash = 'earlier' where name = 'meaning.v1'");
  expect(await operations.registerWorkflow(definition)).toBe("same");
  const other = paying("meaning.v1", object(["iban"]));
  await expect(operations.registerWorkflow(other)).rejects.toMatchObject({
    code: "workflow.changed",
  });
});

test("a migration adds the contracts of definitions that an earlier release stored", async () => {
  const earlier = paying("earlier.v1", object(["iban"]));
  await operations.registerWorkflow(earlier);
  await db.query("update state.workflows set contracts = null");
  await db.query(
    `insert into state.workflows (name, content_hash, format, definition) values ('odd.v1', 'x', 1, '{"steps": 5}')`,
  );
  await migrate(db.url);
  const [row] = await db.query<{ contracts: unknown }>(
    "select contracts from state.workflows where name = 'earlier.v1'",
  );
  expect(row?.contracts).toEqual(contractHashes(earlier));
  expect(await db.query("select from state.workflows where contracts is null")).toEqual([]);
});
