import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definitionsOf } from "@holdfast/messaging";
import { migratedDatabase, repository, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { type MovedBroker, moveBroker } from "./move-broker.ts";
import { faultsOfMove } from "./move-report.ts";

test("a system moves from one broker to another under orders and kills: no order is lost or doubled", async () => {
  await using stack = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), "holdfast-move-"));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const database = await migratedDatabase();
  stack.defer(() => database.drop());
  const brokerNamed = async (title: string): Promise<MovedBroker> => {
    const broker = await testBroker();
    let ended: Promise<void> | null = null;
    const stop = () => (ended ??= Promise.resolve(broker[Symbol.asyncDispose]()));
    stack.defer(stop);
    return { ...broker, title, stop };
  };
  const [from, to] = [await brokerNamed("the one before"), await brokerNamed("the new one")];
  const said: string[] = [];
  const report = await moveBroker({
    from,
    to,
    release: { title: "this release", root: repository, definitionsOf },
    seconds: 30,
    rate: 10,
    seed: 1,
    stateStoreUrl: database.url,
    dataFolder,
    say: (line) => void said.push(line),
    onLog: () => {},
  });
  const faults = faultsOfMove(report);
  if (faults.length > 0) {
    throw new Error([...faults, ...report.witnesses, ...said.slice(-40)].join("\n"));
  }
  expect(report).toMatchObject({ lost: 0, doubled: 0, open: 0, deadLetters: 0 });
}, 600_000);
