import type { ReportedTaskEvent, Unreadable } from "@holdfast/domain";
import { limits } from "../limits/limits.ts";
import { readableText } from "../limits/storable-text.ts";
import { type AnnouncingInstance, announcedContract } from "./readers.ts";

/** What a workflow asks of an Agent, and by which contract it was made; null: it has none. */
export interface AskedOperation {
  readonly workflow: string;
  readonly agent: string;
  readonly operation: string;
  readonly needed: string | null;
}

/**
 * Whether an instance gave a request back because it cannot read it: it has no such operation, or
 * another contract than the workflow was made with. By the same contract its refusal is its answer,
 * and so is that of an Agent that names none.
 */
export function isGivenBack(
  { event }: ReportedTaskEvent,
  needed: () => string | null | undefined,
): boolean {
  if (event.kind !== "failed") return false;
  if (event.code === "agent.unknown_operation") return true;
  if (event.contract === undefined) return false;
  const contract = needed() ?? null;
  return contract !== null && contract !== event.contract;
}

/** What becomes of a request that was given back, where nothing is known of the other instances. */
export const givenBack = (
  { faultDetail = "" }: ReportedTaskEvent,
  { needed }: AskedOperation,
): Unreadable => ({
  where: "here",
  detail: shortened(
    `The instance that had the request cannot read it${needed === null ? "" : `: the workflow was made with the contract ${needed}`}. Another one gets it. It said: ${faultDetail}`,
  ),
});

/**
 * What becomes of a request that was given back many times, by what the running instances announce.
 * Only one that announces the contract, or the operation where there is none, is known to read it.
 */
export function givenBackOften(
  reported: ReportedTaskEvent,
  asked: AskedOperation,
  instances: readonly AnnouncingInstance[],
): Unreadable {
  const { workflow, agent, operation, needed } = asked;
  const contracts = instances.map((one) => ({
    ...one,
    contract: announcedContract(one, operation),
  }));
  const reads = contracts.some(({ operations, contract }) =>
    needed === null ? operations !== null && contract !== undefined : contract === needed,
  );
  if (reads) return givenBack(reported, asked);
  const made = needed === null ? "" : `, which was made with the contract ${needed}`;
  const shown = contracts.slice(0, mostShown).map(({ name, contract }) => {
    if (contract === undefined) return `${name} has no such operation`;
    return contract === null ? `${name} announces none` : `${name} has ${contract}`;
  });
  const more = contracts.length > mostShown ? ` and ${contracts.length - mostShown} more` : "";
  const who = shown.length === 0 ? "none runs" : `${shown.join(", ")}${more}`;
  return {
    where: "everywhere",
    detail: shortened(
      `No running instance of ${agent} is known to read ${operation} as ${workflow} asks for it${made}: ${who}. Run an instance that has it, then resubmit the step. The last one said: ${reported.faultDetail ?? ""}`,
    ),
  };
}

const mostShown = 10;

const shortened = (text: string): string => readableText(text, limits.words);
