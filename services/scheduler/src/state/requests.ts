import { limits } from "@holdfast/contracts";
import type { Milliseconds } from "@holdfast/domain";
import type { ClaimedStep, ContractDifference } from "@holdfast/state-store";

/** A published request, until its reply or its mark. */
interface OpenRequest {
  readonly claim: ClaimedStep;
  /** When its claim began, and when it was published. */
  readonly claimedAt: Milliseconds;
  readonly publishedAt: Milliseconds;
  /** When to mark it. */
  readonly confirmAt: Milliseconds;
  isConfirmed: boolean;
}

/** The contracts of instances that are unfit for one workflow. */
interface WorkflowContracts {
  /** The contracts that are unfit, by Agent and operation. */
  readonly unfit: ReadonlyMap<string, readonly string[]>;
  readonly readAt: Milliseconds;
  /** Whether a request needed it since then. */
  isUsed: boolean;
}

/**
 * The requests that a Scheduler is building, and those that it has published. The resend covers
 * their loss.
 */
export interface Requests {
  /** Whether several requests to an Agent share one message, and whether marks wait for replies. */
  readonly bundles: boolean;
  readonly lateConfirms: boolean;
  readonly building: Set<ClaimedStep>;
  /** Published and not yet marked, by the token of the attempt. */
  readonly open: Map<string, OpenRequest>;
  /**
   * Milliseconds from the claim to the publisher confirm of the last requests, and the longest of
   * them.
   */
  readonly confirmTimes: Milliseconds[];
  slowestConfirm: Milliseconds;
  /** The one claim that is watched until it is answered; null: none is. */
  watched: { readonly token: string; readonly claimedAt: Milliseconds } | null;
  /** Milliseconds from claims to replies, and the median; 0: nothing is known yet. */
  readonly replyTimes: Milliseconds[];
  usualReply: Milliseconds;
  /**
   * Whether the resend is to look for lost requests, without asking first whether there are any.
   */
  isResendWanted: boolean;
  /** The longest confirm that is not remembered as an outage yet; 0: none was slow. */
  slowConfirm: Milliseconds;
  /**
   * How many requests the instances of each Agent take in one message, as their last reply said.
   */
  readonly bundleSizes: Map<string, number>;
  /** The contracts that were read, and the operations that were warned of, by workflow. */
  readonly contracts: Map<string, WorkflowContracts>;
  readonly warned: Map<string, ReadonlySet<string>>;
}

/** What happens to requests, and what is read for them. */
export type RequestObservation =
  | { readonly kind: "building"; readonly claims: readonly ClaimedStep[] }
  /** Each of them was published or refused, or its dispatch has failed. */
  | { readonly kind: "built"; readonly claims: readonly ClaimedStep[] }
  | { readonly kind: "publishing"; readonly claim: ClaimedStep; readonly claimedAt: Milliseconds }
  | { readonly kind: "confirmed"; readonly token: string }
  /** The publish failed. */
  | { readonly kind: "unpublished"; readonly token: string }
  | { readonly kind: "confirmsRecorded"; readonly claims: readonly ClaimedStep[] }
  /**
   * The broker may have lost all requests: with the connection goes all that spoke for its having
   * them.
   */
  | { readonly kind: "disconnected" }
  /** Time has passed without a confirm. */
  | { readonly kind: "unconfirmed" }
  /** The outage that slow confirms were is about to be remembered. */
  | { readonly kind: "remembering" }
  /** All requests in flight count as not dispatched, because the broker is new. */
  | { readonly kind: "brokerIsNew" }
  /** The resend looks for lost requests. */
  | { readonly kind: "resending" }
  | { readonly kind: "contractsUsed"; readonly workflows: readonly string[] }
  /** Contracts are about to be read again. */
  | { readonly kind: "contractsAging" }
  | {
      readonly kind: "contracts";
      readonly workflows: readonly string[];
      readonly found: readonly ContractDifference[];
    };

interface Settings {
  readonly bundles?: boolean;
  readonly lateConfirms?: boolean;
}

export const newRequests = ({ bundles = true, lateConfirms = true }: Settings = {}): Requests => ({
  bundles,
  lateConfirms,
  building: new Set(),
  open: new Map(),
  confirmTimes: [],
  slowestConfirm: 0,
  watched: null,
  replyTimes: [],
  usualReply: 0,
  isResendWanted: false,
  slowConfirm: 0,
  bundleSizes: new Map(),
  contracts: new Map(),
  warned: new Map(),
});

/** Milliseconds between two looks for requests to mark, while any is unconfirmed. */
export const confirmEvery = 100;
/**
 * Milliseconds between two looks at how long the broker has not confirmed a request, while any
 * waits for that.
 */
export const confirmsEvery = 300;

export function notePublishing(
  requests: Requests,
  { claim, claimedAt }: Extract<RequestObservation, { kind: "publishing" }>,
  now: Milliseconds,
): void {
  const confirmAt = confirmAtOf(requests, claim, claimedAt);
  const request = { claim, claimedAt, publishedAt: now, confirmAt, isConfirmed: false };
  requests.open.set(claim.token, request);
  awaitReply(requests, { token: claim.token, claimedAt }, now);
}

/** Notes a publisher confirm. Returns whether it was of a request that is open. */
export function noteConfirm(requests: Requests, token: string, now: Milliseconds): boolean {
  const request = requests.open.get(token);
  if (request === undefined) return false;
  request.isConfirmed = true;
  timeConfirm(requests, now - request.claimedAt);
  noteSlowConfirm(requests, now - request.publishedAt);
  return true;
}

/** The publish of a request failed, or the broker may have lost it. */
export function forgetRequest(requests: Requests, token: string): void {
  requests.open.delete(token);
  if (requests.watched?.token === token) requests.watched = null;
}

export function forgetRequests(requests: Requests): void {
  for (const token of requests.open.keys()) {
    if (requests.watched?.token === token) requests.watched = null;
  }
  requests.open.clear();
}

/** A reply has come, whatever it says. */
export function noteReply(requests: Requests, token: string, now: Milliseconds): void {
  requests.open.delete(token);
  if (requests.watched?.token === token) endWatch(requests, now);
}

/** All requests that are being built or are open: none is lost as long as this instance lives. */
export const heldRequests = ({ building, open }: Requests): readonly ClaimedStep[] => [
  ...building,
  ...Array.from(open.values(), ({ claim }) => claim),
];

/** Confirmed requests whose mark is due. */
export const unconfirmedRequests = (
  { open }: Requests,
  now: Milliseconds,
): readonly ClaimedStep[] =>
  [...open.values()].flatMap(({ claim, isConfirmed, confirmAt }) =>
    isConfirmed && confirmAt <= now ? [claim] : [],
  );

/** Notes that requests were marked. Returns whether others are confirmed that must be later. */
export function noteConfirms({ open }: Requests, claims: readonly ClaimedStep[]): boolean {
  for (const { token } of claims) open.delete(token);
  for (const { isConfirmed } of open.values()) if (isConfirmed) return true;
  return false;
}

/** How many of the last replies count. */
const replySample = 9;

/**
 * Watches one claim at a time until it is answered, however long that takes: a sample of the
 * replies that arrive would hold the quick ones only. What takes longer than a resend ever waits is
 * counted as that, and watched no more.
 */
function awaitReply(
  requests: Requests,
  claim: NonNullable<Requests["watched"]>,
  now: Milliseconds,
): void {
  const { watched } = requests;
  if (watched !== null && now - watched.claimedAt >= resendBounds.longest) endWatch(requests, now);
  requests.watched ??= claim;
}

function endWatch(requests: Requests, now: Milliseconds): void {
  const { watched, replyTimes } = requests;
  if (watched === null) return;
  replyTimes.push(Math.min(resendBounds.longest, now - watched.claimedAt));
  if (replyTimes.length > replySample) replyTimes.shift();
  const middle = Math.floor(replyTimes.length / 2);
  requests.usualReply = replyTimes.toSorted((a, b) => a - b)[middle] ?? 0;
  requests.watched = null;
}

/** Requests of which the slowest counts. */
const confirmSample = 200;
const resendBounds = { shortest: 600, longest: 3_000 };
/** Replies that usually take longer come after the mark however late that is. */
const longestAwaited = resendBounds.longest / 2;

function timeConfirm(requests: Requests, taken: Milliseconds): void {
  const { confirmTimes, slowestConfirm } = requests;
  confirmTimes.push(taken);
  const gone = confirmTimes.length > confirmSample ? confirmTimes.shift() : undefined;
  requests.slowestConfirm =
    gone === slowestConfirm ? Math.max(...confirmTimes) : Math.max(slowestConfirm, taken);
}

/**
 * Milliseconds after which a request counts as lost between claim and publish: well after our own
 * slowest, or a busy broker or a distant store would have every request published twice; and well
 * after the usual reply, or most requests would have to be marked before it.
 */
export function resendAfter({ slowestConfirm, usualReply }: Requests): Milliseconds {
  const usual = usualReply <= longestAwaited ? usualReply : 0;
  const slowest = Math.max(slowestConfirm, usual);
  return Math.min(resendBounds.longest, Math.max(resendBounds.shortest, 4 * slowest));
}

/**
 * Halfway to the resend, so that most replies come first and save the mark; and halfway to the
 * step's own limit, past which a silent step without a mark would count as never sent.
 */
const confirmAtOf = (
  requests: Requests,
  { completeBy, now }: Pick<ClaimedStep, "completeBy" | "now">,
  claimedAt: Milliseconds,
): Milliseconds =>
  requests.lateConfirms
    ? claimedAt + Math.min(resendAfter(requests), completeBy - now) / 2
    : claimedAt;

/**
 * A broker that confirms within so many milliseconds delivers a request about when it was
 * published.
 */
const confirmTolerated = 500;

/**
 * Notes that the broker took long to confirm a request. Its Agent has it later than its deadline
 * assumes, so what is silent meanwhile is not counted as a failure.
 */
export function noteSlowConfirm(requests: Requests, took: Milliseconds): void {
  if (took > confirmTolerated) requests.slowConfirm = Math.max(requests.slowConfirm, took);
}

/** How long the broker has not confirmed the oldest request; null: it has confirmed all. */
export function unconfirmedFor({ open }: Requests, now: Milliseconds): Milliseconds | null {
  const waiting = [...open.values()].filter(({ isConfirmed }) => !isConfirmed);
  return waiting.length === 0
    ? null
    : now - Math.min(...waiting.map(({ publishedAt }) => publishedAt));
}

/**
 * How many requests an Agent takes in one message; one where nothing is known or bundles are
 * switched off.
 */
export const bundleSizeOf = ({ bundleSizes }: Requests, agent: string): number =>
  bundleSizes.get(agent) ?? 1;

/** Notes what an Agent has just said; undefined: it takes one. */
export function noteBundleSize({ bundles, bundleSizes }: Requests, agent: string, size = 1): void {
  if (bundles) bundleSizes.set(agent, size);
}

/** What is asked of an Agent, and for which workflow. */
export interface AskedOperation {
  readonly workflow: string;
  readonly agent: string;
  readonly operation: string;
}

/**
 * Milliseconds after which a request has contracts read again, beside it. While none is sent,
 * nothing is read.
 */
const readContractsEvery = 5_000;
/** Milliseconds after which contracts were read too long ago for a request, which waits. */
const longestKept = 15_000;

const operationOf = ({ agent, operation }: Omit<AskedOperation, "workflow">): string =>
  `${agent}.${operation}`;

const isOlderThan = ({ readAt }: WorkflowContracts, ms: Milliseconds, now: Milliseconds): boolean =>
  now >= readAt + ms;

/**
 * Contracts by which no instance can do what is asked, as their schemas show; undefined: there are
 * none. Whether an instance runs makes no difference: one that has just started takes requests
 * before its first heartbeat is known.
 */
export const unfitContractsOf = (
  { contracts }: Requests,
  { workflow, ...asked }: AskedOperation,
): readonly string[] | undefined => contracts.get(workflow)?.unfit.get(operationOf(asked));

/**
 * The workflows whose contracts a request must wait for: nothing is known of them, or it was read
 * long ago.
 */
export const unknownContracts = (
  { contracts }: Requests,
  workflows: readonly string[],
  now: Milliseconds,
): readonly string[] =>
  workflows.filter((workflow) => {
    const one = contracts.get(workflow);
    return one === undefined || isOlderThan(one, longestKept, now);
  });

/** Whether one of these workflows has contracts that are to be read again, beside its requests. */
export const areContractsAging = (
  { contracts }: Requests,
  workflows: readonly string[],
  now: Milliseconds,
): boolean =>
  workflows.some((workflow) => {
    const one = contracts.get(workflow);
    return one !== undefined && isOlderThan(one, readContractsEvery, now);
  });

/** Forgets contracts that no request has needed for long. */
export function forgetContracts({ contracts }: Requests, now: Milliseconds): void {
  for (const [workflow, one] of contracts) {
    if (!one.isUsed && isOlderThan(one, longestKept, now)) contracts.delete(workflow);
  }
}

/** The workflows whose contracts are read again: those that requests need. */
export const agingContracts = ({ contracts }: Requests, now: Milliseconds): readonly string[] =>
  [...contracts].flatMap(([workflow, one]) =>
    one.isUsed && isOlderThan(one, readContractsEvery, now) ? [workflow] : [],
  );

export function useContracts({ contracts }: Requests, workflows: readonly string[]): void {
  for (const workflow of workflows) {
    const one = contracts.get(workflow);
    if (one !== undefined) one.isUsed = true;
  }
}

/**
 * Takes over which contracts are unfit for these workflows. Requests name the first ones: those
 * that run.
 */
export function replaceContracts(
  requests: Requests,
  { workflows, found }: Extract<RequestObservation, { kind: "contracts" }>,
  now: Milliseconds,
): void {
  for (const workflow of workflows) {
    const differing = unfitAmong(found, workflow);
    const unfit = new Map(
      [...Map.groupBy(differing, operationOf)].map(([name, ones]) => [
        name,
        ones.slice(0, limits.unfitContracts).map(({ offered }) => offered),
      ]),
    );
    requests.contracts.set(workflow, { unfit, readAt: now, isUsed: false });
    const running = new Set(differing.filter(isRunning).map(operationOf));
    if (running.size === 0) requests.warned.delete(workflow);
    else requests.warned.set(workflow, running);
  }
}

/**
 * The differences that nothing was said of yet: running instances that cannot read what a workflow
 * asks for.
 */
export const contractsToWarnOf = (
  { warned }: Requests,
  { workflows, found }: Extract<RequestObservation, { kind: "contracts" }>,
): readonly ContractDifference[] =>
  workflows.flatMap((workflow) => {
    const running = Map.groupBy(unfitAmong(found, workflow).filter(isRunning), operationOf);
    return [...running].flatMap(([name, [first]]) =>
      first === undefined || warned.get(workflow)?.has(name) === true ? [] : [first],
    );
  });

const isRunning = ({ instances }: ContractDifference): boolean => instances > 0;

const unfitAmong = (
  found: readonly ContractDifference[],
  workflow: string,
): readonly ContractDifference[] =>
  found
    .filter((one) => one.workflow === workflow && one.reading === "unfit" && one.offered !== "")
    .toSorted((one, other) => other.instances - one.instances);
