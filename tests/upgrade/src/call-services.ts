import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { inTurn } from "@holdfast/load";
import { fulfilOrder, type SampleKind, sampleOrder } from "@holdfast/orders";
import { programAt } from "@holdfast/test-servers";
import type { Release } from "./release.ts";

/** What a release calls services with: its package for applications, or its command. */
export type Means = "client" | "command";

/** An order that one release's client or command submitted, and read. */
export interface CalledOrder {
  readonly key: string;
  readonly kind: SampleKind;
  readonly taskId: string;
  readonly at: number;
  readonly via: Means;
  /** The release of the client or command, and the URL of the service that took it. */
  readonly by: Release;
  readonly url: string;
}

interface Caller {
  readonly via: Means;
  readonly by: Release;
  /** Resolves to the id of the task. */
  submit(url: string, key: string, input: unknown): Promise<string>;
  /** Resolves to the id of the task that the service shows. */
  read(url: string, taskId: string): Promise<string>;
  /** Whether an error says that the service was away or busy, and not that it refused. */
  readonly isPassing: (error: unknown) => boolean;
}

export interface CallOptions {
  /** Begins each idempotency key. */
  readonly run: string;
  readonly releases: readonly Release[];
  /** The URLs at which a release's clients and commands call services at the moment. */
  readonly urlsFor: (release: Release) => readonly string[];
  readonly onCalled: (order: CalledOrder) => void;
  readonly onRefused: (why: string) => void;
  /** Ends the calls; what was begun is answered all the same. */
  readonly signal: AbortSignal;
}

/** Milliseconds from one call to the next; a command takes as long as a process needs to start. */
const callEvery = 1_000;
/** Milliseconds. */
const restBetweenTries = 300;
const commandWithin = 20_000;
/** Milliseconds: a process that was killed comes back under another URL. */
const retryFor = 2_000;

/**
 * Has the clients and commands of releases call services, one after the other: each submits an
 * order until it is accepted, and reads its task. Resolves after the last one.
 */
export async function callServices(options: CallOptions): Promise<void> {
  const { releases, signal } = options;
  const callers = (
    await Promise.all(releases.map(async (one) => [await clientOf(one), commandOf(one)]))
  ).flat();
  for (let index = 0; ; index += 1) {
    await sleep(callEvery, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const caller = callers[index % callers.length];
    // Where none is that serves it, it is the next one's turn.
    if (caller === undefined || options.urlsFor(caller.by).length === 0) continue;
    await call(caller, index, options);
  }
}

const kindOf = inTurn("good", "unshippable", "good", "declined", "good");

async function call(
  caller: Caller,
  index: number,
  { run, urlsFor, onCalled, onRefused }: CallOptions,
): Promise<void> {
  const { via, by } = caller;
  const key = `${run}-${via}-${index}`;
  const kind = kindOf(index);
  const input = sampleOrder({ kind, seed: index });
  try {
    const urls = () => urlsFor(by);
    const submit = async (url: string) => ({ url, taskId: await caller.submit(url, key, input) });
    const { url, taskId } = await untilAnswered(caller, urls, submit);
    onCalled({ key, kind, taskId, at: Date.now(), via, by, url });
    const shown = await untilAnswered(caller, urls, (one) => caller.read(one, taskId));
    if (shown !== taskId) onRefused(`${via} of ${by.title}: ${taskId} was read as ${shown}`);
  } catch (error) {
    onRefused(`${via} of ${by.title}, ${key}: ${String(error)}`);
  }
}

/** Asks one of the services until one answers. Throws what they refuse with. */
async function untilAnswered<Answer>(
  { isPassing }: Caller,
  urls: () => readonly string[],
  ask: (url: string) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    const all = urls();
    const url = all[tries % all.length];
    try {
      if (url !== undefined) return await ask(url);
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await sleep(restBetweenTries);
  }
}

/** What this program needs of a release's client. */
interface ClientModule {
  readonly holdfastClient: (options: { readonly url: string; readonly retryFor: number }) => {
    submit(
      workflow: string,
      input: unknown,
      options: { readonly idempotencyKey: string },
    ): Promise<{ readonly id: string }>;
    readonly tasks: { get(id: string): Promise<{ readonly id: string }> };
  };
}

async function clientOf(by: Release): Promise<Caller> {
  const file = pathToFileURL(join(by.root, "packages/client/src/index.ts")).href;
  const { holdfastClient } = (await import(file)) as ClientModule;
  const at = (url: string) => holdfastClient({ url, retryFor });
  return {
    via: "client",
    by,
    submit: async (url, idempotencyKey, input) =>
      (await at(url).submit(fulfilOrder.name, input, { idempotencyKey })).id,
    read: async (url, taskId) => (await at(url).tasks.get(taskId)).id,
    isPassing(error) {
      const { name, retryable } = error as { readonly name: string; readonly retryable?: boolean };
      return name === "ConnectionError" || retryable === true;
    },
  };
}

/** The exit code of a command whose server does not answer. */
const notReachable = 69;
const run = promisify(execFile);

function commandOf(by: Release): Caller {
  const holdfast = async (url: string, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      [...programAt("packages/cli", by.root), ...args, "--json"],
      {
        cwd: by.root,
        env: { PATH: process.env["PATH"], HOLDFAST_URL: url },
        timeout: commandWithin,
      },
    );
    return (JSON.parse(stdout) as { readonly id: string }).id;
  };
  return {
    via: "command",
    by,
    submit(url, key, input) {
      const how = ["--input", JSON.stringify(input), "--idempotency-key", key];
      return holdfast(url, "tasks", "submit", fulfilOrder.name, ...how);
    },
    read: (url, taskId) => holdfast(url, "tasks", "get", taskId),
    isPassing(error) {
      const { code, killed } = error as { readonly code?: unknown; readonly killed?: boolean };
      return code === notReachable || killed === true;
    },
  };
}
