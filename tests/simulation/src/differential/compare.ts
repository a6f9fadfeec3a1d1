import { type Json } from "@holdfast/domain";
import type { ClaimedStep } from "@holdfast/state-store";
import { expect } from "@jest/globals";
import { sameDecisions, waitsForPeople } from "./approval-operations.ts";
import { inOrder, nameOfClaim, type Pair, type Side } from "./pair.ts";
import { sameSignals, waitsForSignals } from "./signal-operations.ts";

/** Compares what both claimed, and keeps it for later events. */
export async function sameClaims(
  pair: Pair,
  theirs: readonly ClaimedStep[],
  ours: readonly ClaimedStep[],
): Promise<void> {
  const byName = (side: Side, claims: readonly ClaimedStep[]) =>
    new Map(claims.map((claim) => [nameOfClaim(pair, side, claim), claim]));
  const named = byName(0, theirs);
  const mine = byName(1, ours);
  expect([...mine.keys()].toSorted(inOrder)).toEqual([...named.keys()].toSorted(inOrder));
  for (const [name, claim] of mine) {
    const other = named.get(name)!;
    expect(claim.startBy - claim.now).toBeCloseTo(other.startBy - other.now, 0);
    expect(claim.completeBy - claim.now).toBeCloseTo(other.completeBy - other.now, 0);
    const { lane, agent, workflow, keyGeneration, taskInput } = other;
    const same = { lane, agent, workflow, keyGeneration, taskInput };
    expect(claim).toMatchObject(same);
    pair.claims.push([other, claim]);
  }
}

/** Expects that both have none, or instants that lie within what a test run takes. */
export function nearly(ours: number | null, theirs: number | null): void {
  expect(ours === null).toBe(theirs === null);
  if (ours !== null && theirs !== null) expect(Math.abs(ours - theirs)).toBeLessThan(60_000);
}

/** What a step returned, without its instants: the clocks of both differ. */
const untimed = (output: Json): Json =>
  JSON.parse(
    JSON.stringify(output, (key, value: Json) => (key === "at" ? undefined : value)),
  ) as Json;

interface Entry {
  readonly step: string | null;
}

/** What happened to each step in its order: the database chooses which of two ends first. */
const byStep = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((one, other) => inOrder(one.step, other.step));

const asTold = (entries: readonly Entry[]): readonly Entry[] => entries;

/** All that both hold of every task: how it stands, and how it came to that. */
export async function sameTasks(pair: Pair): Promise<void> {
  for (const [theirId, ourId] of pair.tasks) {
    await sameSignals(pair, [theirId, ourId]);
    await sameDecisions(pair, [theirId, ourId]);
    const theirs = (await pair.real.findTask({ taskId: theirId, tenant: "default" }))!;
    const { task, version, outputs } = pair.memory.tasks.get(ourId)!;
    expect({
      goal: task.goal,
      processState: task.processState,
      version,
      faultCode: task.faultCode,
      isPaused: task.paused,
      steps: [...task.steps.values()]
        .map(({ plan, processState, attempt, failureCount, requeueCount, faultCode }) => {
          const output = untimed(outputs.get(plan.name) ?? null);
          const { name } = plan;
          return { name, processState, attempt, failureCount, requeueCount, faultCode, output };
        })
        .toSorted(inOrder),
    }).toEqual({
      goal: theirs.goal,
      processState: theirs.processState,
      version: theirs.version,
      faultCode: theirs.faultCode,
      isPaused: theirs.paused !== null,
      steps: theirs.steps
        .map(({ name, processState, attempt, failureCount, requeueCount, faultCode, output }) => {
          const shown = untimed(output);
          return {
            name,
            processState,
            attempt,
            failureCount,
            requeueCount,
            faultCode,
            output: shown,
          };
        })
        .toSorted(inOrder),
    });
    const history = await pair.real.findEvents({ taskId: theirId });
    const { name: workflow } = task.workflow;
    const inTurn = waitsForSignals(workflow) || waitsForPeople(workflow) ? byStep : asTold;
    expect(
      inTurn(
        pair.memory.history
          .filter(({ taskId }) => taskId === ourId)
          .map(({ step, action, from, to, attempt, actor, reason }) => {
            return { step, action, from, to, attempt, actor, reason };
          }),
      ),
    ).toEqual(
      inTurn(
        history.map(({ step, action, fromState: from, toState: to, attempt, actor, reason }) => {
          return { step, action, from, to, attempt, actor, reason };
        }),
      ),
    );
  }
  expect(await pair.real.findInvariantViolations({ batch: 10 })).toEqual([]);
}
