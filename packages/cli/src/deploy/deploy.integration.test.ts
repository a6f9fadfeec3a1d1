import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queryOnce } from "@holdfast/local-stack";
import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openTestStore, type TestStore } from "../../test/fixtures.ts";
import { runCommand } from "../../test/run-command.ts";

describe("the logins of a database", () => {
  const passwords = Object.fromEntries(
    ["OWNER", "SUBMISSION", "OPERATIONS", "SCHEDULER", "SUPERVISOR", "OBSERVER"].map((login) => [
      `${login}_PASSWORD`,
      `${login} it's 100%`,
    ]),
  );

  // That they are made, and work, is shown outside of the repository, on a server of its own: roles
  // are of a whole server.
  test("are made by a dry run as well, and then taken back", async () => {
    await using database = await testDatabase();
    const prefix = `dry_${randomUUID().slice(0, 8)}_`;
    const env = { ...passwords, LOGIN_PREFIX: prefix, STATE_STORE_URL: database.url };
    const dry = await runCommand(["logins", "--dry-run", "--json"], env);
    expect(dry).toMatchObject({ exitCode: 0, stderr: "" });
    const { passwords: set, ...made } = JSON.parse(dry.stdout) as {
      readonly [key: string]: unknown;
    };
    const names = ["holdfast", "submission", "operations", "scheduler", "supervisor", "observer"];
    const logins = names.map((name) => prefix + name);
    expect({ ...made, set }).toMatchObject({
      applied: false,
      created: expect.arrayContaining(logins.map((login) => `${login} login`)),
      set: logins,
    });
    const left = `select rolname from pg_roles where starts_with(rolname, '${prefix}')`;
    expect(await queryOnce(database.url, left)).toEqual([]);
  });

  test("need a password each, and say which are missing before anything is asked", async () => {
    const { OWNER_PASSWORD: _, ...others } = passwords;
    const env = { ...others, SCHEDULER_PASSWORD: "short", STATE_STORE_URL: nowhere };
    const { exitCode, stderr } = await runCommand(["logins"], env);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/owner has no password: set OWNER_PASSWORD or OWNER_PASSWORD_FILE/);
    expect(stderr).toMatch(/scheduler has a password of less than 8 characters/);
  });

  const nowhere = "postgres://x:y@127.0.0.1:1/db";

  test.each([
    ["logins", passwords],
    ["migrate", {}],
  ])("%s says that no server answers, with exit code 69", async (verb, env) => {
    const found = await runCommand([verb], { ...env, STATE_STORE_URL: nowhere });
    expect(found).toMatchObject({ exitCode: 69, stdout: "" });
    expect(found.stderr).not.toContain("    at ");
  });

  test("are printed as the script for psql, without any server", async () => {
    const { stdout } = await runCommand(["logins", "--print"], {});
    expect(stdout).toContain("\\getenv owner_password OWNER_PASSWORD");
  });
});

test("an empty database is migrated, once", async () => {
  await using database = await testDatabase();
  const env = { STATE_STORE_URL: database.url };
  const migrated = await runCommand(["migrate"], env);
  expect(migrated).toMatchObject({ exitCode: 0, stderr: "" });
  expect(migrated.stdout).toMatch(/^0001_holdfast\n[^]*\n[0-9]+ migrations ran\.\n$/);
  const again = { exitCode: 0, stdout: "The state store was up to date.\n", stderr: "" };
  expect(await runCommand(["migrate"], env)).toEqual(again);
});

describe("the ids that an application has", () => {
  let store: TestStore;
  let folder: string;
  beforeAll(async () => {
    store = await openTestStore();
    folder = mkdtempSync(join(tmpdir(), "holdfast-lost-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await store[Symbol.asyncDispose]();
  });

  const lost = async (text: string, ...more: readonly string[]) => {
    const file = join(folder, "ids.csv");
    writeFileSync(file, text);
    return runCommand(["lost", "--ids", file, "--state-store-url", store.url, ...more], {});
  };
  /** An id of a task that was accepted at 2026-11-28T10:00:00.123Z. */
  const gone = "019aca0b-327b-7000-8000-00000000000f";

  test("are all known by a store that was not restored", async () => {
    const one = await store.submit();
    await store.complete(one, 2);
    const other = await store.submit();
    expect(await lost(`\ufeff# ours\r\n${one}\r\n${other.toUpperCase()}, order 2\r\n\r\n`)).toEqual(
      {
        exitCode: 0,
        stdout: "2 asked for: 1 processed, 1 pending.\n",
        stderr: "",
      },
    );
  });

  test("are lost where the store does not know them, with when they were made and what stands beside them", async () => {
    const kept = await store.submit();
    const { exitCode, stdout } = await lost(`${kept};4711\n${gone};4712\n`);
    const at = new Date(Number.parseInt("019aca0b327b", 16)).toISOString();
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: `✗ ${gone} lost  submitted at ${at}  4712\n2 asked for: 1 pending, 1 lost.\n`,
    });
    const { stdout: json } = await lost(`${kept};4711\n${gone};4712\n`, "--json");
    expect(JSON.parse(json)).toEqual({
      asked: 2,
      states: { pending: 1, lost: 1 },
      tasks: [
        expect.objectContaining({
          id: kept,
          note: "4711",
          state: "pending",
          workflow: "shopping.v1",
        }),
        { id: gone, note: "4712", state: "lost", workflow: null, faultCode: null, submittedAt: at },
      ],
    });
    expect((await lost(`${kept}\n${gone}\n`, "-o", "id")).stdout).toBe(`${kept}\n${gone}\n`);
  });

  test("are known while they wait in the inbox, and were refused if they became no task", async () => {
    const [waiting, refused] = [randomUUID(), randomUUID()];
    await store.query(
      `insert into state.inbox (task_id, submission, bytes, workflow) values ('${waiting}', '{}', 2, 'shopping.v1')`,
    );
    await store.query(
      `insert into state.refusals (task_id, submitter, code, detail, errors) values ('${refused}', 'shop', 'task.invalid', 'no', '[]')`,
    );
    const { exitCode, stdout } = await lost(`${waiting}\n${refused}\n`);
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      `✗ ${refused} refused  task.invalid\n2 asked for: 1 enqueued, 1 refused.\n`,
    );
  });

  test("are asked for in thousands", async () => {
    const ids = Array.from(
      { length: 2_500 },
      (_, at) => `019aca0b-327b-7000-8000-${String(at).padStart(12, "0")}`,
    );
    const kept = await store.submit();
    const { exitCode, stdout } = await lost([...ids, kept].join("\n"));
    expect(exitCode).toBe(1);
    expect(stdout).toContain("2501 asked for: 2500 lost, 1 pending.");
  });

  test("are refused with the line of what is none", async () => {
    const { exitCode, stderr } = await lost(`id,order\n`);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/ids\.csv:1: id is no task id/);
  });
});
