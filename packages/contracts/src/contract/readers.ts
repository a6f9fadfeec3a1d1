import type { WorkflowDefinition } from "@holdfast/domain";
import { contractGaps, gapText } from "./contract-gaps.ts";
import {
  contractsOf,
  givenTo,
  type NeededContract,
  type OperationContract,
} from "./operation-contract.ts";

/** What a running instance of an Agent announces. */
export interface AnnouncingInstance {
  readonly agent: string;
  readonly name: string;
  /** All that it performs, undos included; null: it does not say. */
  readonly operations: readonly string[] | null;
  /**
   * The hashes of their contracts, in the same order; empty: there is none. Null: it does not say.
   */
  readonly contracts: readonly string[] | null;
}

/**
 * The contract of an operation that an instance announces. Null: it announces no contract of it;
 * undefined: it does not have the operation.
 */
export function announcedContract(
  { operations, contracts }: Pick<AnnouncingInstance, "operations" | "contracts">,
  operation: string,
): string | null | undefined {
  if (operations === null) return null;
  const index = operations.indexOf(operation);
  return index === -1 ? undefined : contracts?.[index] || null;
}

/**
 * How an instance reads the requests of a workflow.
 *
 * - `same`: it has the contract that the workflow was made with.
 * - `fits`: it has another, of which nothing is known that stands in the way.
 * - `unknown`: it has one that no stored workflow was made with, or does not say; it sees by each
 *   request.
 * - `unfit`: it cannot do what the workflow asks for.
 */
export type Reading = (typeof readings)[number];
export const readings = ["same", "fits", "unknown", "unfit"] as const;

/** A contract of which the schemas are known. */
export interface KnownContract extends OperationContract {
  /** Whether it is later than that of the workflow. */
  readonly isLater: boolean;
}

interface Offer extends Pick<NeededContract, "agent" | "operation"> {
  /** `announcedContract` of the instance. */
  readonly offered: string | null | undefined;
  /** The schemas behind it; null: no stored workflow was made with it. */
  readonly known: KnownContract | null;
}

/**
 * How an instance reads what a workflow asks of one of its operations, and why it cannot: empty
 * unless it is unfit.
 */
export function readingOf(
  definition: WorkflowDefinition,
  { agent, operation, offered, known }: Offer,
): { readonly reading: Reading; readonly why: string } {
  if (offered === undefined) return { reading: "unfit", why: `has no operation ${operation}` };
  const needed = contractsOf(definition).find(
    (one) => one.agent === agent && one.operation === operation,
  );
  if (offered === null || needed == null || needed.contract === null) {
    return { reading: "unknown", why: "" };
  }
  if (offered === needed.contract) return { reading: "same", why: "" };
  if (known === null) return { reading: "unknown", why: "" };
  const given = givenTo(definition, { agent, operation });
  const gaps = contractGaps({ needed, offered: known, given, isLater: known.isLater });
  const reading = gaps.length === 0 ? "fits" : "unfit";
  return { reading, why: gaps.map(gapText).join(", and ") };
}
