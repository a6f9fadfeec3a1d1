import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askBroker, queryOnce } from "@holdfast/local-stack";
import { declareTopology, topologyOf } from "@holdfast/messaging";
import { migrateForProject } from "@holdfast/state-store";
import {
  migratedDatabase,
  type TestBroker,
  testBroker,
  testDatabase,
} from "@holdfast/test-servers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { claimBroker, projectOf } from "./claim-servers.ts";

let stack: AsyncDisposableStack;
let broker: TestBroker;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  broker = stack.use(await testBroker());
});
afterEach(() => stack.disposeAsync());

const mine = { project: randomUUID(), takesOver: false };
const theirs = { project: randomUUID(), takesOver: false };

test("a virtual host belongs to the first project that claims it, until another one takes it over", async () => {
  const { url } = broker;
  const both = await Promise.all([claimBroker(url, mine), claimBroker(url, theirs)]);
  expect(both.filter((isClaimed) => isClaimed)).toHaveLength(1);
  const [first, second] = both[0] ? [mine, theirs] : [theirs, mine];
  await askBroker(url, (channel) => declareTopology(channel, topologyOf([])));
  expect(await claimBroker(url, first)).toBe(true);
  expect(await claimBroker(url, second)).toBe(false);
  expect(await claimBroker(url, { ...second, takesOver: true })).toBe(true);
  expect(await claimBroker(url, first)).toBe(false);
});

test("a virtual host that has the queues of an installation belongs to that", async () => {
  const { url } = broker;
  await askBroker(url, (channel) => declareTopology(channel, topologyOf([])));
  expect(await claimBroker(url, mine)).toBe(false);
  expect(await claimBroker(url, { ...mine, takesOver: true })).toBe(true);
  expect(await claimBroker(url, mine)).toBe(true);
});

test("a state store belongs to the first project that claims it, until another one takes it over", async () => {
  const { url } = stack.use(await testDatabase());
  expect(await migrateForProject(url, mine)).toBe(true);
  expect(await migrateForProject(url, mine)).toBe(true);
  expect(await migrateForProject(url, theirs)).toBe(false);
  expect(await migrateForProject(url, { ...theirs, takesOver: true })).toBe(true);
  expect(await migrateForProject(url, mine)).toBe(false);
});

test("a state store that services have used belongs to them, and one that is empty to the first project", async () => {
  const used = stack.use(await migratedDatabase());
  await queryOnce(
    used.url,
    "insert into state.instances (service, instance, version) values ('scheduler', 'a', '0.1.0')",
  );
  expect(await migrateForProject(used.url, mine)).toBe(false);
  const empty = stack.use(await migratedDatabase());
  expect(await migrateForProject(empty.url, mine)).toBe(true);
});

test("a state store of an earlier release that has workflows is refused before it is migrated", async () => {
  const old = stack.use(await migratedDatabase());
  await queryOnce(old.url, "drop table state.installation");
  await queryOnce(old.url, "delete from state.migrations where name ~ '^0011'");
  await queryOnce(
    old.url,
    "insert into state.workflows (name, content_hash, format, definition) values ('pay.v1', 'x', 1, '{}')",
  );
  expect(await migrateForProject(old.url, mine)).toBe(false);
  const [row] = await queryOnce<{ found: unknown }>(
    old.url,
    "select to_regclass('state.installation') as found",
  );
  expect(row?.found).toBeNull();
});

test("a folder stands for the same project at each start", () => {
  const folder = mkdtempSync(join(tmpdir(), "project-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, ".holdfast/project");
  const first = projectOf(file);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(projectOf(file)).toBe(first);
  expect(projectOf(join(folder, "other/project"))).not.toBe(first);
});
