import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openTestStores, testWorkflow } from "../../test/fixtures.ts";

let stores: Awaited<ReturnType<typeof openTestStores>>;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(async () => {
  await stores.db[Symbol.asyncDispose]();
});
beforeEach(() => stores.db.query("truncate state.workflows, state.collections, state.remotes"));

const version = (name: string, more: object = {}) => ({
  ...testWorkflow([{ name: "a" }], name),
  ...more,
});
const forOperators = expect.objectContaining({ code: "workflow.operators_only" });

/** What is done with the rights of submission by one who has taken the process over. */
const asSubmission = async (sql: string): Promise<unknown> =>
  stores.db
    .query(`begin; set local role holdfast_submission; ${sql}; commit`)
    .then(() => null)
    .catch(async (error: unknown) => {
      await stores.db.query("rollback");
      return (error as { readonly code: string }).code;
    });
const insert = (name: string, more = "") =>
  `insert into state.workflows (name, content_hash, format, definition${more === "" ? "" : ", by_operators"})
   values ('${name}', 'x', 1, '{}'${more})`;

/** Which version a submission gets that names none, by the function that applications call. */
const meant = async (family: string) =>
  (
    await stores.db.query<{ name: string }>("select state.name_of_workflow($1) as name", [family])
  )[0]?.name;

describe("the login of submission", () => {
  test("stores the first version of a workflow, and the same again at each start", async () => {
    const { submission, operations } = stores;
    expect(await submission.registerWorkflow(version("trip.v1"))).toBe("created");
    expect(await submission.registerWorkflow(version("trip.v1"))).toBe("same");
    expect(await operations.registerWorkflow(version("trip.v2"))).toBe("created");
    expect(await submission.registerWorkflow(version("trip.v1"))).toBe("same");
    expect(await submission.registerWorkflow(version("trip.v2"))).toBe("same");
  });

  test("stores no further version, whatever its name", async () => {
    await stores.operations.registerWorkflow(version("trip.v1"));
    await expect(stores.submission.registerWorkflow(version("trip.v2"))).rejects.toEqual(
      forOperators,
    );
    for (const name of ["trip.v999999", "trip", "trip.v01", "trip.v0"]) {
      expect({ name, refused: await asSubmission(insert(name)) }).toEqual({
        name,
        refused: "HF403",
      });
    }
    expect(await meant("trip")).toBe("trip.v1");
  });

  test("cannot say that operators stored a version, nor change or delete one", async () => {
    await stores.operations.registerWorkflow(version("trip.v1"));
    for (const sql of [
      insert("other.v1", ", true"),
      "update state.workflows set by_operators = true",
      "update state.workflows set name = 'trip.v2'",
      "delete from state.workflows",
      "alter table state.workflows disable trigger all",
    ]) {
      expect({ sql, refused: await asSubmission(sql) }).toEqual({ sql, refused: "42501" });
    }
  });

  test("changes neither whose tasks a noun means nor what an Agent wraps", async () => {
    const remotes = { agent: { service: "bookings" } };
    const first = version("trip.v1", { collection: "trips", remotes });
    await stores.operations.registerWorkflow(first);
    expect(await stores.submission.registerWorkflow(first)).toBe("same");
    for (const sql of [
      "update state.collections set family = 'theft'",
      "update state.remotes set shares_keys = true",
      "update state.remotes set service = 'other'",
    ]) {
      expect({ sql, refused: await asSubmission(sql) }).toEqual({ sql, refused: "HF403" });
    }
  });
});

test("a version that operators stored comes before a higher one that submission stored in advance", async () => {
  expect(await asSubmission(insert("refund.v999999"))).toBeNull();
  expect(await meant("refund")).toBe("refund.v999999");
  await stores.operations.registerWorkflow(version("refund.v1"));
  expect(await meant("refund")).toBe("refund.v1");
  const known = await stores.submission.findWorkflows();
  expect(
    known
      .map(({ name, byOperators }) => [name, byOperators])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ).toEqual([
    ["refund.v1", true],
    ["refund.v999999", false],
  ]);
});
