import { setImmediate as nextTurn } from "node:timers/promises";
import { type Soon, soon } from "@holdfast/contracts";
import type { ContractFault, Json, ReportedTaskEvent, VersionedTask } from "@holdfast/domain";
import type { StepContracts } from "../workflows/output-contract.ts";
import { contractsOf } from "../workflows/workflow-catalog.ts";
import { TakesLong } from "./takes-long.ts";

/** The outputs of a batch, each checked once against the contract of its operation. */
export interface OutputChecks {
  /**
   * Why outputs of these events break their contracts. Throws `TakesLong` once the checks have taken more steps than a
   * transaction may hold, or at one that is found aside: each of the others then gets a turn of the event loop of its own.
   */
  faultsOf(
    tasks: readonly VersionedTask[],
    byTask: ReadonlyMap<string, readonly ReportedTaskEvent[]>,
  ): ReadonlyMap<ReportedTaskEvent, ContractFault>;
}

/** Steps, of 20 ns or so, that the checks of one transaction may take. */
const mostSteps = 300_000;

interface Output {
  readonly event: ReportedTaskEvent;
  readonly contracts: StepContracts;
  readonly step: string;
  readonly output: Json;
}

export function checkOutputs(): OutputChecks {
  const faults = new Map<ReportedTaskEvent, ContractFault>();
  const checked = new Set<ReportedTaskEvent>();

  const outputsOf = ({ task }: VersionedTask, events: readonly ReportedTaskEvent[]) => {
    const contracts = contractsOf(task.workflow);
    return events.flatMap((reported): Output[] => {
      const { event, output } = reported;
      if (event.kind !== "completed" || output === undefined || checked.has(reported)) return [];
      return [{ event: reported, contracts, step: event.step, output }];
    });
  };

  /** Returns nothing at once, or a promise where it is found aside. */
  const check = ({ event, contracts, step, output }: Output): Soon<void> => {
    checked.add(event);
    return soon(contracts.output(step, output), (fault) => {
      if (fault !== null) faults.set(event, fault);
    });
  };

  const checkAll = async (outputs: readonly Output[]): Promise<void> => {
    for (const output of outputs) {
      await nextTurn();
      await check(output);
    }
  };

  return {
    faultsOf(tasks, byTask) {
      const outputs = tasks.flatMap((task) => outputsOf(task, byTask.get(task.task.taskId) ?? []));
      let steps = 0;
      for (const [index, output] of outputs.entries()) {
        if (steps > mostSteps) throw new TakesLong(() => checkAll(outputs.slice(index)));
        const before = output.contracts.stepsTaken();
        const isAside = check(output);
        if (isAside instanceof Promise) {
          throw new TakesLong(() => isAside.then(() => checkAll(outputs.slice(index + 1))));
        }
        steps += output.contracts.stepsTaken() - before;
      }
      return faults;
    },
  };
}
