import type { NewBulkOperation } from "../src/bulk/create-bulk-operation.ts";
import { openTestStores, submitOne, testWorkflow } from "./fixtures.ts";
import { refused, work } from "./replies.ts";

type Stores = Awaited<ReturnType<typeof openTestStores>>;

const tenant = "default";

/** The tasks that bulk operations of tests are about: all that are open. */
export const openTasks = {
  tenant,
  conditions: [{ field: "state", operator: "in", operand: ["halted", "pending", "processing"] }],
  createdFrom: null,
  createdBefore: null,
} as const;

/**
 * Items a second: so many that a round never waits for the next item, however soon it follows the
 * creation.
 */
const unlimited = 1_000_000_000;

export const newBulkRequest = (changes: Partial<NewBulkOperation> = {}): NewBulkOperation => ({
  tenant,
  action: "resubmit",
  step: null,
  output: undefined,
  filter: { state: "halted" },
  actor: "ann",
  reason: "the bank is back",
  canary: 0,
  rate: unlimited,
  key: null,
  hash: "hash",
  ...changes,
});

/** A store for tests with tasks that halt, and what is done to it about bulk operations. */
export function bulkFixture() {
  let stores: Stores | undefined;
  const at = (): Stores => {
    if (stores === undefined) throw new Error("The stores are not open");
    return stores;
  };
  const find = (id: string) => at().operations.findBulkOperation({ tenant, id });
  const items = (id: string) =>
    at().operations.listBulkItems({ id, outcome: null, after: 0, most: 100 });
  return {
    at,
    open: async (): Promise<void> => {
      stores = await openTestStores(
        testWorkflow([{ name: "a", onFailure: "halt" }, { name: "b" }]),
      );
    },
    close: async (): Promise<void> => at().db[Symbol.asyncDispose](),
    clear: () => at().db.clear("outbox", "alerts", "bulk_operations", "bulk_items"),
    /** Tasks whose first step failed for good. */
    halted: async (count: number): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let number = 0; number < count; number += 1) ids.push(await submitOne(at().submission));
      await work(at().scheduler, refused);
      return ids;
    },
    create: async (changes: Partial<NewBulkOperation> = {}): Promise<string> => {
      const request = newBulkRequest(changes);
      const created = await at().operations.createBulkOperation({ tasks: openTasks, request });
      if (created.kind !== "created") throw new Error(created.kind);
      return created.id;
    },
    find,
    items,
    outcomes: async (id: string) => (await items(id)).map(({ outcome }) => outcome),
    apply: (id: string, batch = 50, after = 0) =>
      at().supervisor.applyBulkItems({ id, after, batch }),
    verify: (id: string, action: NewBulkOperation["action"] = "resubmit") =>
      at().supervisor.verifyBulkItems({ id, action, after: 0, batch: 100 }),
    violations: () => at().submission.findInvariantViolations({ batch: 10 }),
    historyOf: (taskId: string) => at().submission.findEvents({ taskId }),
  };
}
