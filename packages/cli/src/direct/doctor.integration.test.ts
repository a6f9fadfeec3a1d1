import { replyQueue } from "@holdfast/contracts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { OperatedBroker } from "../../test/broker.ts";
import { openTestSystem, stateOf, type TestSystem, without, wrongs } from "../../test/doctor.ts";
import type { TestStore } from "../../test/fixtures.ts";
import { runCommand } from "../../test/run-command.ts";

let system: TestSystem;
let store: TestStore;
let operated: OperatedBroker;

beforeAll(async () => {
  system = await openTestSystem();
  ({ store, operated } = system);
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
});
afterEach(() => system.cleanUp());

test("doctor finds no problem in a sound system", async () => {
  await system.startServices();
  const looked = await system.lookAt();
  expect(wrongs(looked)).toEqual([]);
  expect(looked.findings.filter(({ state }) => state === "unseen")).toEqual([]);
  expect(looked.findings.find(({ code }) => code === "agents.present")?.text).toContain(
    "inventory, payments",
  );
});

test("doctor names the settings with which the server can lose data", async () => {
  await system.startServices();
  const [settings] = await store.query<{ fsync: string }>("show fsync");
  const looked = await system.lookAt();
  expect(stateOf(looked.findings, "store.durability")).toBe(
    settings?.fsync === "on" ? "fine" : "wrong",
  );
});

describe("reports what it could not check", () => {
  test("without the HTTP API", async () => {
    await system.startServices();
    const { BROKER_MANAGEMENT_URL: _, ...env } = system.environment();
    const looked = await system.lookAt([], env);
    expect(wrongs(looked)).toEqual([]);
    expect(looked.findings.find(({ state }) => state === "unseen")).toMatchObject({
      code: "broker.management",
      advice: expect.stringContaining("BROKER_MANAGEMENT_URL"),
    });
  });

  test("with a wrong password for the HTTP API", async () => {
    await system.startServices();
    const url = new URL(operated.managementUrl);
    url.password = "wrong";
    const { findings } = await system.lookAt(["--management-url", url.href]);
    expect(findings.find(({ state }) => state === "unseen")?.text).toContain("answers 401");
  });

  test("as a user who may not see the queues", async () => {
    await system.startServices();
    const name = new URL(operated.broker.url).username;
    const nothing = { configure: "^$", write: "^$", read: "^$" };
    await operated.manage("PUT", `permissions/:vhost/${name}`, nothing);
    system.cleanUps.defer(() =>
      operated.manage("PUT", `permissions/:vhost/${name}`, {
        configure: ".*",
        write: ".*",
        read: ".*",
      }),
    );
    const { findings } = await system.lookAt(["--management-url", ""]);
    expect(findings.filter(({ state }) => state === "unseen")).toContainEqual(
      expect.objectContaining({
        code: "broker.topology",
        text: expect.stringContaining(replyQueue),
      }),
    );
    // The HTTP API shows what AMQP does not.
    const seen = await system.lookAt();
    expect(seen.findings.filter(({ state }) => state === "unseen")).toEqual([]);
  });

  test("as a user who may not see other users' transactions", async () => {
    await system.startServices();
    const url = new URL(store.url);
    url.searchParams.set("options", "-c role=holdfast_observer");
    const { findings } = await system.lookAt(["--state-store-url", url.href]);
    expect(findings.find(({ code }) => code === "store.transactions")).toMatchObject({
      state: "unseen",
      advice: "grant pg_read_all_stats to it",
    });
  });

  test.each([
    ["STATE_STORE_URL", "store.reachable", "broker.version"],
    ["BROKER_URL", "broker.reachable", "store.version"],
  ])("when %s leads nowhere, and looks at the other server", async (name, code, other) => {
    await system.startServices();
    const url = Object.assign(new URL(system.environment()[name as "BROKER_URL"]), { port: "1" });
    const { exitCode, findings } = await system.lookAt([], {
      ...system.environment(),
      [name]: url.href,
    });
    expect(exitCode).toBe(69);
    expect(findings.find((one) => one.code === code)?.advice).toContain(name);
    expect(stateOf(findings, other)).toBe("fine");
  });
});

test("doctor prints each problem and what to do about it", async () => {
  await system.startServices(without("agent.payments"));
  const { stdout, exitCode } = await runCommand(["doctor", "--direct"], system.environment());
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^✓ store\.version +Postgres 1/m);
  expect(stdout).toMatch(
    /✗ agents\.absent +No process serves the Agent payments.*\n +→ Start the Agent/,
  );
});
