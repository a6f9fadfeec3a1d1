import { holdfastVersion, redactConfig } from "@holdfast/runtime";
import type { OperationsStore, SeenInstance } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { describe, ref } from "../api/describe.ts";
import { sharedView } from "../overview/shared-view.ts";
import type { FoundQueues } from "./find-queues.ts";

interface SystemDependencies {
  readonly store: OperationsStore;
  readonly queues: () => Promise<FoundQueues>;
  /** The configuration of this process, with its secrets: they are left out of the answer. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** Milliseconds: both servers are asked once in this time, however many consoles are open. */
const freshFor = 5_000;

/** What the tasks run on, for operators. */
export function systemRoute(
  app: FastifyInstance,
  { store, queues, configuration, onRequest }: SystemDependencies,
): void {
  const version = holdfastVersion();
  const look = sharedView(() => readSystem({ store, queues, version }), { freshFor });
  const shown = redactConfig(configuration);
  const schema = describe({
    id: "getSystem",
    tag: "service",
    summary:
      "What the tasks run on: processes, queues, outbox, months and the settings of this process.",
    description:
      "At most five seconds old. `queues` is null where RabbitMQ's HTTP API is not known or does not answer; `queuesNote` says why. Secrets are shown as `(secret)`, and URLs without their passwords. Durations are milliseconds.",
    answers: { "200": { words: "As of `at`.", schema: ref("System") } },
  });
  app.get("/v1/system", { onRequest, schema }, async () => ({
    ...(await look()),
    configuration: shown,
  }));
}

interface SystemSources {
  readonly store: OperationsStore;
  readonly queues: () => Promise<FoundQueues>;
  readonly version: string;
}

/** What the tasks run on: processes, queues, outbox and months. */
async function readSystem({ store, queues, version }: SystemSources) {
  const [instances, found, outbox, partitions] = await Promise.all([
    store.findInstances(),
    queues(),
    store.measureOutbox(),
    store.findPartitionSizes(),
  ]);
  const alive = instances.filter(({ living }) => living);
  const of = (asked: SeenInstance["service"]) =>
    alive.filter(({ service }) => service === asked).map(seen);
  return {
    version,
    at: new Date().toISOString(),
    schedulers: of("scheduler"),
    supervisors: of("supervisor"),
    submissions: of("submission"),
    ...found,
    outbox: {
      waiting: outbox.waiting,
      oldestMs: outbox.oldestFor === null ? null : Math.max(0, Math.round(outbox.oldestFor)),
    },
    partitions: partitions.map(({ name, firstDay, endDay, rowCount, bytes }) => ({
      name,
      from: `${firstDay}T00:00:00.000Z`,
      until: `${endDay}T00:00:00.000Z`,
      rows: rowCount,
      bytes,
    })),
  };
}

const seen = ({ instance, version, slots, seenAt }: SeenInstance) => ({
  instance,
  version,
  slots,
  seenAt: seenAt.toISOString(),
});
