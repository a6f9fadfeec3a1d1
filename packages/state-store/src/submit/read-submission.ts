import { createHash } from "node:crypto";
import {
  type AskedSubmission,
  allowedVisible,
  type FieldFault,
  faultSentence,
  isStatusQueue,
  isVisible,
  labelNamePattern,
  limits,
  payloadFaults,
  payloadFaultsAt,
  payloadWords,
  Submission,
  type TaskInputCheck,
} from "@holdfast/contracts";
import {
  allowedFairness,
  ContractFault,
  canonicalJson,
  decodePercents,
  type Fairness,
  type FaultCode,
  isFairnessKey,
  isFairnessWeight,
  isPrintable,
  isPriority,
  type Json,
  lookupIn,
  type Milliseconds,
  type Priority,
  parseWhen,
  priorities,
  resolveWhen,
  type When,
  type WorkflowDefinition,
  whenWords,
} from "@holdfast/domain";
import type { Labels, NewTask } from "./new-task.ts";

/** Why a submission becomes no task. `errors` are the places that are wrong, as JSON pointers. */
export class SubmissionFault extends ContractFault {
  declare readonly code: FaultCode;
  readonly errors: readonly FieldFault[];

  constructor(code: FaultCode, message: string, errors: readonly FieldFault[] = []) {
    const [first] = errors;
    super(code, message, {
      details: first === undefined ? {} : { pointer: first.pointer, errors: errors.length },
    });
    this.errors = errors;
  }
}

/** The version of a workflow that a submission is for. */
export interface TargetWorkflow {
  readonly name: string;
  readonly family: string;
  readonly definition: Pick<WorkflowDefinition, "fairness">;
  /** What is wrong with an input, by the workflow's own schema. */
  readonly check: TaskInputCheck;
  /** Whether it was asked for without a version: then it must be the active one. */
  readonly takesActive: boolean;
}

interface ReadOptions {
  /**
   * Milliseconds for which the idempotency key stands for the task; 24 hours unless said otherwise.
   */
  readonly keepKeyFor?: Milliseconds;
}

/**
 * Makes the task of a submission, which may hold anything: all rules about submissions are here,
 * whichever way they came. Throws a `SubmissionFault` for one that is not to be a task.
 */
export async function readSubmission(
  asked: AskedSubmission,
  workflow: TargetWorkflow,
  { keepKeyFor }: ReadOptions = {},
): Promise<NewTask> {
  mustBeKnown(asked);
  const input = await readInput(asked.input, workflow);
  const { askedFairness, ...fields } = readFields(asked);
  const fairness = fairnessOf(askedFairness, workflow.definition, input);
  const correlationId = readCorrelationId(asked.correlationId);
  const idempotencyKey = readIdempotencyKey(asked.idempotencyKey);
  return {
    tenant: "default",
    workflow: workflow.name,
    takesActive: workflow.takesActive,
    input,
    fairness,
    correlationId,
    ...fields,
    idempotency:
      idempotencyKey === null
        ? null
        : {
            key: idempotencyKey,
            hash: hashOf(workflow.family, { ...fields, askedFairness, input }),
            earlierHashes: () => [earlierHashOf(workflow.family, input)],
            ...(keepKeyFor === undefined ? {} : { keepFor: keepKeyFor }),
          },
  };
}

/** What a submission asks for beside its input: all of it is part of its hash. */
const readFields = (asked: AskedSubmission) => ({
  priority: readPriority(asked.priority),
  askedFairness: readAskedFairness(asked.fairness),
  replyTo: readReplyTo(asked.replyTo),
  key: readKey(asked.key),
  labels: readLabels(asked.labels),
  notBefore: readNotBefore(asked.notBefore),
});

function invalid(detail: string, pointer: string): SubmissionFault {
  const faults = [{ pointer, detail }];
  return new SubmissionFault("request.invalid", faultSentence(faults), faults);
}

/**
 * Fields that only a row can have: the schema of HTTP refuses them, and headers are asked for by
 * name.
 */
function mustBeKnown(asked: AskedSubmission): void {
  for (const field in asked) {
    if (!Object.hasOwn(Submission.properties, field)) {
      throw invalid("unknown field: a submission has no such field", `/${pointerOf(field)}`);
    }
  }
}

const pointerOf = (field: string): string => field.replaceAll("~", "~0").replaceAll("/", "~1");

async function readInput(input: unknown, { check }: TargetWorkflow): Promise<Json> {
  const faults = payloadFaultsAt(input);
  if (faults.length > 0) {
    throw new SubmissionFault("task.invalid", `The input ${payloadWords(faults)}.`, faults);
  }
  const errors = await check(input);
  if (errors.length === 0) return input as Json;
  throw new SubmissionFault("task.invalid", "The input failed validation; see errors.", errors);
}

function readPriority(priority: unknown = "normal"): Priority {
  if (isPriority(priority)) return priority;
  const [last, ...others] = priorities.toReversed();
  const allowed = `${others.toReversed().join(", ")} or ${last}`;
  throw new SubmissionFault("request.priority_invalid", `The priority must be ${allowed}.`);
}

/** What the submission itself says; null: what the workflow says. */
interface AskedFairness {
  readonly key: unknown;
  readonly weight: unknown;
}

const unfair = (detail: string) => new SubmissionFault("request.fairness_invalid", detail);

function readAskedFairness(asked: unknown = {}): AskedFairness {
  if (typeof asked !== "object" || asked === null || Array.isArray(asked)) {
    throw unfair("The fairness must be an object with key and weight.");
  }
  const { key = null, weight = null } = asked as { readonly key?: unknown; weight?: unknown };
  return { key: toKey(key), weight: toWeight(weight) };
}

/**
 * The fairness key and weight of a task: as the submission says, otherwise as the workflow says
 * where they stand in the input.
 */
function fairnessOf(
  asked: AskedFairness,
  { fairness: pointers }: TargetWorkflow["definition"],
  input: Json,
): Fairness | null {
  const lookup = lookupIn({ input, outputs: new Map() });
  const at = (pointer: string | undefined) => (pointer === undefined ? null : lookup(pointer));
  const key = asked.key ?? toKey(at(pointers?.key) ?? null);
  const weight = asked.weight ?? toWeight(at(pointers?.weight) ?? null);
  if (key === null) {
    if (asked.weight === null) return null;
    throw unfair("The fairness weight is of no use without a fairness key.");
  }
  if (!isFairnessKey(key)) {
    const where = from(asked.key, pointers?.key);
    throw unfair(`The fairness key${where} must be ${allowedFairness.key}.`);
  }
  if (weight !== null && !isFairnessWeight(weight)) {
    const where = from(asked.weight, pointers?.weight);
    throw unfair(`The fairness weight${where} must be ${allowedFairness.weight}.`);
  }
  return { key, weight: weight ?? 1 };
}

/** The place of a value in the input; nothing for one that the submission gives. */
const from = (asked: unknown, pointer: string | undefined): string =>
  asked === null && pointer !== undefined ? ` at ${pointer}` : "";

/** A customer's number is as good a key as a name. */
const toKey = (key: unknown): unknown => (Number.isSafeInteger(key) ? String(key) : key);

/** Headers of HTTP are texts. */
const toWeight = (weight: unknown): unknown =>
  typeof weight === "string" && /^\d{1,4}$/.test(weight) ? Number(weight) : weight;

/** Any other queue would be one of ours, and a submission has no business there. */
function readReplyTo(queue: unknown = null): string | null {
  if (queue === null || (typeof queue === "string" && isStatusQueue(queue))) return queue;
  throw new SubmissionFault(
    "request.reply_to_invalid",
    "reply-to names your own queue: status. and up to 200 letters, digits, dots, dashes.",
  );
}

function readCorrelationId(id: unknown = null): string | null {
  if (id === null || isVisible(id)) return id;
  throw new SubmissionFault(
    "request.correlation_id_invalid",
    `correlation-id must be ${allowedVisible}.`,
  );
}

function readIdempotencyKey(key: unknown = null): string | null {
  if (key === null || isVisible(key)) return key;
  throw new SubmissionFault(
    "request.idempotency_key_invalid",
    `Idempotency-Key must be ${allowedVisible}.`,
  );
}

function readKey(key: unknown = null): string | null {
  if (key === null || isVisible(key)) return key;
  throw invalid(`must be ${allowedVisible}`, "/key");
}

const labelName = new RegExp(labelNamePattern);

function readLabels(asked: unknown = null): Labels | null {
  if (asked === null) return null;
  const labels: unknown = typeof asked === "string" ? fromHeader(asked) : asked;
  if (typeof labels !== "object" || labels === null || Array.isArray(labels)) {
    throw invalid("must be an object of texts", "/labels");
  }
  const pairs = Object.entries(labels as Record<string, unknown>);
  if (pairs.length > limits.labels) {
    throw invalid(`must be at most ${limits.labels} labels`, "/labels");
  }
  return Object.fromEntries(pairs.map(([name, text]) => [nameOf(name), textOf(text, name)]));
}

function nameOf(name: string): string {
  if (labelName.test(name)) return name;
  throw invalid(
    `must have names of up to ${limits.labelName} letters, digits and _ . / -, that begin with a letter or digit`,
    "/labels",
  );
}

function textOf(text: unknown, name: string): string {
  if (isPrintable(text, limits.label)) return text;
  throw invalid(
    `must be a text of 1 to ${limits.label} characters without control characters`,
    `/labels/${pointerOf(name)}`,
  );
}

/** A text such as `region=eu,guest=ada`, its parts encoded as in a URL. */
function fromHeader(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => {
    const [name = "", ...value] = pair.trim().split("=");
    return [decodePercents(name), decodePercents(value.join("="))] as const;
  });
  if (pairs.flat().includes(null)) {
    throw invalid("must be pairs such as region=eu,guest=ada, encoded as in a URL", "/labels");
  }
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}

const day = 24 * 60 * 60 * 1_000;

function readNotBefore(asked: unknown = null): When | null {
  if (asked === null) return null;
  const when = typeof asked === "string" ? parseWhen(asked) : null;
  if (when === null) throw invalid(whenWords, "/notBefore");
  const now = Date.now();
  if (resolveWhen(when, now) <= now + limits.beginDays * day) return when;
  throw invalid(`must be within ${limits.beginDays} days`, "/notBefore");
}

/**
 * The hash of a submission that has not been checked by its workflow. Throws a `SubmissionFault`
 * for one that cannot be read.
 */
export const requestHash = (asked: AskedSubmission, family: string): string =>
  hashOf(family, { ...readFields(asked), input: asked.input as Json });

/**
 * Reads a submission that a version refuses as a question for the task that its idempotency key
 * stands for: another version may have taken it before. Null: it has no key, or no version takes
 * it.
 */
export function readRepeat(
  asked: AskedSubmission,
  { name, family }: Pick<TargetWorkflow, "name" | "family">,
): NewTask | null {
  if (payloadFaults(asked.input).length > 0) return null;
  try {
    const key = readIdempotencyKey(asked.idempotencyKey);
    if (key === null) return null;
    return {
      tenant: "default",
      workflow: name,
      onlyRepeats: true,
      input: null,
      priority: "normal",
      fairness: null,
      replyTo: null,
      correlationId: null,
      idempotency: {
        key,
        hash: requestHash(asked, family),
        earlierHashes: () => [earlierHashOf(family, asked.input as Json)],
      },
    };
  } catch (error) {
    if (error instanceof SubmissionFault) return null;
    throw error;
  }
}

const digest = (content: string): string => createHash("sha256").update(content).digest("hex");

/** What a hash of this version begins with: those of earlier releases have no colon. */
const hashVersion = "2:";
/** Whether a hash is of this version, so that no earlier one need be made. */
export const isCurrentHash = (hash: string): boolean => hash.startsWith(hashVersion);

/** What the hash of a request covers, beside the workflow. */
type Asked = ReturnType<typeof readFields> & Pick<NewTask, "input">;

/**
 * The hash of all that was asked for. The version of the workflow is not in it: a newer one may
 * come between two requests that are the same. Neither are the correlation id and the trace, which
 * a proxy may make anew for each try. What was not asked for is left out, so that a field which
 * submissions may have one day changes no hash that is stored.
 */
function hashOf(family: string, { input, labels, askedFairness, ...asked }: Asked): string {
  const { key, weight } = askedFairness;
  const named = Object.keys(labels ?? {}).length === 0 ? null : labels;
  const fairness = key === null && weight === null ? null : askedFairness;
  const all = Object.entries({ ...asked, labels: named, fairness });
  const said = Object.fromEntries(all.filter(([, value]) => value !== null));
  return `${hashVersion}${digest(canonicalJson({ ...said, family, input }))}`;
}

/** The hash by which 0.1.0 before decision 0160 knew a request over HTTP and by message. */
const earlierHashOf = (family: string, input: Json): string =>
  digest(`${family}\n${canonicalJson(input)}`);
