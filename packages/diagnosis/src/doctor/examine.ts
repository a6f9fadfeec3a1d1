import { Fault } from "@holdfast/domain";
import { adviceFor } from "../advice.ts";
import { checkTimeouts } from "./check-agents.ts";
import { checkBroker } from "./check-broker.ts";
import { checkCauses } from "./check-causes.ts";
import { checkClock } from "./check-clock.ts";
import { checkClockJump } from "./check-clock-jump.ts";
import { checkConsumers } from "./check-consumers.ts";
import { checkContracts } from "./check-contracts.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { checkLosses, checkNotifications, checkRefusals } from "./check-losses.ts";
import { checkPartitions } from "./check-partitions.ts";
import { checkPauses } from "./check-pauses.ts";
import { checkQueues } from "./check-queues.ts";
import { checkPooler, checkSchema } from "./check-schema.ts";
import { checkServer } from "./check-server.ts";
import { checkVacuum } from "./check-vacuum.ts";
import { type Finding, wrong } from "./finding.ts";
import { type FactsOptions, gatherFacts, type StoreFacts } from "./gather-facts.ts";

export interface Examination {
  readonly findings: readonly Finding[];
  /** Both servers answered. */
  readonly complete: boolean;
}

export interface ExamineOptions extends FactsOptions {
  /** The broker's `consumer_timeout` in milliseconds, where it is known. */
  readonly consumerTimeout: number | null;
}

/** Looks at both servers, and says of each thing whether it is as it should be. */
export async function examine({
  consumerTimeout,
  ...options
}: ExamineOptions): Promise<Examination> {
  const { store, broker } = await gatherFacts(options);
  const needs = store instanceof Fault ? [] : (store.contents?.needs ?? []);
  return {
    complete: !(store instanceof Fault || broker instanceof Fault),
    findings: [
      ...checkCauses({ store, broker }, options.now()),
      ...(store instanceof Fault ? [unreachable("store.reachable", store)] : findingsOf(store)),
      ...(broker instanceof Fault
        ? [unreachable("broker.reachable", broker)]
        : [
            ...checkBroker(broker),
            ...checkQueues(broker),
            ...checkTimeouts({ needs, broker, consumerTimeout }),
          ]),
    ],
  };
}

const findingsOf = (store: StoreFacts): readonly Finding[] => [
  ...checkServer(store.server),
  ...checkClock(store.clock, store.advance),
  ...checkPooler(store.pooler),
  ...checkVacuum(store.vacuum),
  ...checkSchema(store.migrations),
  ...(store.contents === null
    ? []
    : [
        checkClockJump(store.contents.clock, store.advance),
        ...checkPartitions(store.contents.partitions),
        ...checkConsumers(store.contents.standstills),
        ...checkLosses(store.contents.losses),
        ...checkRefusals(store.contents.inbox.refused),
        ...checkNotifications(store.contents.unsent),
        ...checkPauses(store.contents.pauses),
        ...checkDefinitions(store.contents.unusable),
        ...checkContracts(store.contents.differences),
      ]),
];

const unreachable = (code: string, fault: Fault): Finding =>
  wrong(code, "it could not be looked at", adviceFor(fault));
