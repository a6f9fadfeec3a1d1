import type { components } from "@holdfast/client";
import type { Finding } from "@holdfast/diagnosis";
import { expect } from "@jest/globals";
import { type OperatedBroker, openTestBroker, readQueues } from "./broker.ts";
import { openTestStore, type TestStore } from "./fixtures.ts";
import { runCommand } from "./run-command.ts";

export const agents = ["inventory", "payments"];

/** What doctor found. */
export interface Examined {
  readonly exitCode: number;
  readonly findings: readonly Finding[];
}

/** A store and a broker that doctor examines in tests, and services that listen. */
export interface TestSystem extends AsyncDisposable {
  readonly store: TestStore;
  readonly operated: OperatedBroker;
  environment(): {
    readonly STATE_STORE_URL: string;
    readonly BROKER_URL: string;
    readonly BROKER_MANAGEMENT_URL: string;
  };
  /** Runs when the test ends. */
  readonly cleanUps: AsyncDisposableStack;
  /** Begins a test: listens to these queues, or to all that services read. */
  startServices(queues?: readonly string[]): Promise<void>;
  /** Ends a test. */
  cleanUp(): Promise<void>;
  lookAt(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Examined>;
  /** Changes something for one test. */
  forNow(change: string, back: string): Promise<void>;
}

export async function openTestSystem(): Promise<TestSystem> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openTestStore());
  const operated = opened.use(await openTestBroker(agents));
  const owned = opened.move();
  let cleanUps = new AsyncDisposableStack();
  const environment = () => ({
    STATE_STORE_URL: store.url,
    BROKER_URL: operated.broker.url,
    BROKER_MANAGEMENT_URL: operated.managementUrl,
  });
  return {
    store,
    operated,
    environment,
    get cleanUps() {
      return cleanUps;
    },
    async startServices(queues = readQueues(agents)) {
      cleanUps = new AsyncDisposableStack();
      cleanUps.use(await operated.listen(queues));
      await operated.heard(queues);
      // It has announced itself for longer than a test takes.
      await store.query(
        "insert into state.instances (service, instance, version, seen_at) values ('supervisor', 'supervisor-1', '0.1.0', clock_timestamp() + interval '1 hour') on conflict do nothing",
      );
    },
    cleanUp: () => cleanUps.disposeAsync(),
    async lookAt(args = [], env = environment()) {
      const line = ["doctor", "--direct", "--json", ...args];
      const { stdout, stderr, exitCode } = await runCommand(line, env);
      expect(stderr).toBe("");
      const { findings } = JSON.parse(stdout) as components["schemas"]["Examination"];
      return { exitCode, findings: findings.map(findingOf) };
    },
    async forNow(change, back) {
      await store.query(change);
      cleanUps.defer(async () => void (await store.query(back)));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const states = { ok: "fine", warning: "unseen", error: "wrong" } as const;

const findingOf = ({
  check,
  severity,
  sentence,
  advice,
}: components["schemas"]["Examination"]["findings"][number]): Finding => ({
  code: check,
  state: states[severity],
  text: sentence,
  advice,
});

export const without = (queue: string) => readQueues(agents).filter((one) => one !== queue);

export const stateOf = (findings: readonly Finding[], code: string) =>
  findings.find((one) => one.code === code)?.state;

/** The servers of a test run need not survive a crash of the machine. */
export const wrongs = ({ findings }: Examined) =>
  findings.filter(({ state, code }) => state === "wrong" && code !== "store.durability");

/** Expects this one thing to be wrong, and nothing else. */
export function expectOnly(looked: Examined, code: string, ...texts: readonly string[]): void {
  expect(looked.exitCode).toBe(1);
  const found = wrongs(looked);
  expect(found.map((one) => one.code)).toEqual(found.map(() => code));
  const all = found.map(({ text, advice }) => `${text} → ${advice}`).join("\n");
  for (const text of texts) expect(all).toContain(text);
}
