import { limits, StepRequest } from "@holdfast/contracts";
import {
  type AgentPlan,
  asksAgent,
  type CallDefinition,
  Fault,
  idempotencyKey,
  isCall,
  type Json,
  lookupInEnded,
  missingAt,
  PermanentFault,
  refsOf,
  type StepPlan,
  stepOfRef,
} from "@holdfast/domain";
import type { ByteBudget, Clock } from "@holdfast/runtime";
import {
  type ClaimedStep,
  inputOfCall,
  type LoadedValues,
  type SchedulerStore,
  type StepContracts,
  type StoredWorkflow,
  type ValueRef,
} from "@holdfast/state-store";
import type { UnfitContracts } from "./unfit-contracts.ts";

export type RequestStore = Pick<SchedulerStore, "findWorkflow" | "loadValues" | "loadCalls">;

/** A claimed step and the message for its Agent, or why there is nothing that could be sent. */
export type BuiltRequest =
  | {
      readonly claim: ClaimedStep;
      readonly body: Buffer;
      /** The last attempt at what is undone, if the step is an undo. */
      readonly undoes?: { readonly step: string; readonly attempt: number };
    }
  | { readonly claim: ClaimedStep; readonly fault: Fault };

/** A claimed step with what its workflow says about it. */
interface Job {
  readonly claim: ClaimedStep;
  readonly plan: AgentPlan;
  /** The call that is to be made, or undone. */
  readonly call: CallDefinition;
  readonly contracts: StepContracts;
  /** The steps whose outputs the input refers to; null: the input of the task. */
  readonly refs: readonly (string | null)[];
  /** All that the request is made of came with the claim. */
  readonly isComplete: boolean;
}

interface BuildOptions {
  readonly store: RequestStore;
  /**
   * A budget of bytes of JSON for the values that are parsed: shared by all that build at the same
   * time.
   */
  readonly memory: ByteBudget;
  readonly clock: Pick<Clock, "after">;
  readonly unfit: UnfitContracts;
  /**
   * Takes each request as soon as it is built. The next one is built once what it returns has
   * resolved.
   */
  readonly handOver: (built: BuiltRequest) => Promise<void> | undefined;
}

/** Bytes of JSON that are loaded at a time, unless one task has more. */
const partBytes = 1024 * 1024;
/** Bytes of JSON that one request is made of: enough for 16 of the largest payloads. */
const mostBytes = 4 * 1024 * 1024;
/**
 * Steps, of 20 ns or so, that checks of inputs take before others get their turn of the event loop.
 */
const stepsInTurn = 300_000;

/**
 * Fills in what each step needs, and hands over one request after the other. Nothing of it is
 * stored: definition, input of the task and outputs never change, so every attempt and every resend
 * finds the same. Values are loaded in parts, and let go of before the next part is.
 */
export async function buildRequests(
  claims: readonly ClaimedStep[],
  { store, memory, clock, unfit, handOver }: BuildOptions,
): Promise<void> {
  const jobs = await jobsOf(store, claims);
  await unfit.learn(claims.map(({ workflow }) => workflow));
  const found = jobs.filter((job) => "plan" in job);
  const callRows = await callsOf(store, found);
  let steps = 0;
  const build = async (job: Job, known: LoadedValues): Promise<void> => {
    const before = job.contracts.stepsTaken();
    await handOver(await buildRequest(job, known, { callRows, unfit }));
    steps += job.contracts.stepsTaken() - before;
    if (steps < stepsInTurn) return;
    steps = 0;
    await new Promise<void>((resolve) => void clock.after(0, resolve));
  };
  const needing = found.filter(({ isComplete }) => !isComplete);
  const left: Left[] = [];
  {
    // Usually one part has all of them.
    using _room = needing.length === 0 ? null : await memory.reserve(partBytes);
    const values = await load(store, needing, partBytes);
    for (const job of jobs) {
      if ("fault" in job) await handOver(job);
      else if (job.isComplete) await build(job, cameAlong(job.claim));
      else {
        const known = values.get(job.claim.taskId) ?? nothing;
        if (known.leftOut === null) await build(job, known);
        else left.push({ job, bytes: known.leftOut });
      }
    }
  }
  for (const part of partsOf(left)) {
    using _room = await memory.reserve(part.bytes);
    const values = await load(store, part.jobs, part.bytes);
    for (const job of part.jobs) await build(job, values.get(job.claim.taskId) ?? nothing);
  }
}

type CallRows = ReadonlyMap<string, Awaited<ReturnType<RequestStore["loadCalls"]>>[number]>;

/** The calls that are to be undone. */
async function callsOf(store: RequestStore, jobs: readonly Job[]): Promise<CallRows> {
  const undoing = jobs.filter(({ plan }) => plan.undoes !== null);
  if (undoing.length === 0) return new Map();
  const calls = await store.loadCalls({ taskIds: undoing.map(({ claim }) => claim.taskId) });
  return new Map(calls.map((row) => [`${row.taskId} ${row.name}`, row]));
}

async function load(
  store: RequestStore,
  jobs: readonly Job[],
  most: number,
): Promise<ReadonlyMap<string, LoadedValues>> {
  return jobs.length === 0
    ? new Map()
    : store.loadValues({ refs: jobs.flatMap(valuesNeeded), most });
}

/** A job whose values did not fit into a part. */
interface Left {
  readonly job: Job;
  /** Bytes of all values that the steps of its task need. */
  readonly bytes: number;
}

interface ValuesPart {
  readonly jobs: Job[];
  bytes: number;
}

/** Parts of at most `partBytes`, or of one task. */
function partsOf(left: readonly Left[]): readonly ValuesPart[] {
  const parts: ValuesPart[] = [];
  for (const ofTask of Map.groupBy(left, ({ job }) => job.claim.taskId).values()) {
    const bytes = Math.min(mostBytes, ofTask[0]?.bytes ?? 0);
    const jobs = ofTask.map(({ job }) => job);
    const last = parts.at(-1);
    if (last !== undefined && last.bytes + bytes <= partBytes) {
      last.jobs.push(...jobs);
      last.bytes += bytes;
    } else parts.push({ jobs, bytes });
  }
  return parts;
}

interface Around {
  readonly callRows: CallRows;
  readonly unfit: Pick<UnfitContracts, "of">;
}

async function buildRequest(
  job: Job,
  known: LoadedValues,
  { callRows, unfit }: Around,
): Promise<BuiltRequest> {
  const { claim, plan, call } = job;
  const row = plan.undoes === null ? undefined : callRows.get(`${claim.taskId} ${call.name}`);
  const built = await attempt(claim, async () => {
    if (known.problem !== null) throw unusable(known.problem);
    if (known.leftOut !== null) throw unusable(tooLong(known.leftOut));
    const input = plan.undoes === null ? await checkedInputOf(job, known) : null;
    const request = { ...commonOf(job), ...unfitFor(job, unfit), input };
    return row === undefined ? request : { ...request, undo: undoOf(job, known, row) };
  });
  return row === undefined ? built : { ...built, undoes: { step: row.name, attempt: row.attempt } };
}

const tooLong = (bytes: number): string =>
  `What it needs of its task is ${bytes} bytes long, of at most ${mostBytes}`;

const nothing: LoadedValues = {
  input: null,
  outputs: new Map(),
  correctedInputs: new Map(),
  problem: null,
  leftOut: null,
};

const cameAlong = ({ taskInput }: ClaimedStep): LoadedValues => ({ ...nothing, input: taskInput });

type Found = Job | { readonly claim: ClaimedStep; readonly fault: Fault };

async function jobsOf(
  store: RequestStore,
  claims: readonly ClaimedStep[],
): Promise<readonly Found[]> {
  const workflows = new Map<string, StoredWorkflow | null>();
  for (const { workflow } of claims) {
    if (!workflows.has(workflow)) workflows.set(workflow, await store.findWorkflow(workflow));
  }
  return claims.map((claim) => jobOf(claim, workflows.get(claim.workflow) ?? null));
}

function jobOf(claim: ClaimedStep, workflow: StoredWorkflow | null): Found {
  const plan = workflow?.plan.steps.get(claim.name);
  const call = callOf(workflow, plan);
  if (workflow === null || plan === undefined || call === undefined || !asksAgent(plan)) {
    return { claim, fault: new UnknownStep(claim) };
  }
  const refs = refsOf(call.input).map(stepOfRef);
  const isComplete =
    claim.taskInput !== null && plan.undoes === null && refs.every((step) => step === null);
  return { claim, plan, call, contracts: workflow.contracts, refs, isComplete };
}

const callOf = (workflow: StoredWorkflow | null, plan: StepPlan | undefined) =>
  workflow === null
    ? undefined
    : workflow.definition.steps
        .filter(isCall)
        .find(({ name }) => name === (plan?.undoes ?? plan?.name));

class UnknownStep extends Fault {
  readonly transient = false;
  constructor({ workflow, name }: ClaimedStep) {
    super("step.not_in_workflow", `${workflow} has no step ${name}`);
  }
}

/** The step's own name asks for the input that an operator may have corrected. */
function valuesNeeded({ claim: { taskId }, call, plan, refs }: Job): readonly ValueRef[] {
  return [...new Set([...refs, call.name, plan.name])].map((name) => ({ taskId, name }));
}

const commonOf = ({ claim, plan }: Job) => ({
  taskId: claim.taskId,
  step: claim.name,
  agent: claim.agent,
  operation: plan.operation,
  attempt: claim.attempt,
  token: claim.token,
  idempotencyKey: idempotencyKey(claim.taskId, plan, claim.keyGeneration),
  workMs: plan.completeWithin,
  ...(plan.extendUpTo === undefined ? {} : { extendMs: plan.extendUpTo }),
  completeBy: new Date(claim.completeBy).toISOString(),
});

/** An undo is held to no contract. */
function unfitFor(
  { claim: { workflow, agent }, plan }: Job,
  unfit: Pick<UnfitContracts, "of">,
): Pick<StepRequest, "unfit"> {
  const { operation, undoes } = plan;
  const found = undoes === null ? unfit.of({ workflow, agent, operation }) : undefined;
  return found === undefined ? {} : { unfit: [...found] };
}

/** The input of a call, held to the contract that the workflow was defined with. */
async function checkedInputOf(job: Job, values: LoadedValues): Promise<Json> {
  const input = inputOfCall(job.call, values);
  const fault = await job.contracts.input(job.call.name, input);
  if (fault !== null) throw missingIn(job, values, fault) ?? fault;
  return input;
}

/**
 * The fault of an input that breaks its contract because a value is missing: the caller may leave
 * it out, and no Agent has failed.
 */
function missingIn(
  { call }: Job,
  values: LoadedValues,
  { message, details: { pointer: place } }: Fault,
): Fault | null {
  if (values.correctedInputs.has(call.name)) return null;
  const pointer = missingAt(call.input, String(place), lookupInEnded(values));
  if (pointer === null) return null;
  return new PermanentFault(
    "step.input_unresolvable",
    `There is nothing at ${pointer}, which the Agent's contract needs. ${message}`,
    { details: { pointer } },
  );
}

/**
 * The undo of a step, which is not held to a contract: what was done is undone, whatever is said of
 * it by now.
 */
function undoOf(
  job: Job,
  values: LoadedValues,
  row: { readonly processState: string; readonly keyGeneration: number },
): NonNullable<StepRequest["undo"]> {
  const completed = row.processState === "processed";
  return {
    step: job.call.name,
    key: idempotencyKey(job.claim.taskId, { name: job.call.name, undoes: null }, row.keyGeneration),
    input: inputOfCall(job.call, values),
    output: completed ? (values.outputs.get(job.call.name) ?? null) : null,
    outcome: completed ? "completed" : "unknown",
  };
}

/**
 * A ref that leads nowhere, an input that is too large, or stored values that cannot be written as
 * JSON (nested too deep) fail their own step and no other.
 */
async function attempt(
  claim: ClaimedStep,
  build: () => Promise<StepRequest>,
): Promise<BuiltRequest> {
  try {
    const request = await build();
    const body = StepRequest.encode(request);
    mustFit(request, body);
    return { claim, body };
  } catch (error) {
    const fault = error instanceof Fault ? error : unusable((error as Error).message);
    return { claim, fault };
  }
}

/**
 * A template may refer to large values again and again. The broker closes the channel over such a
 * message.
 */
function mustFit({ step, input }: StepRequest, body: Buffer): void {
  if (body.length <= limits.payloadBytes) return;
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > limits.payloadBytes) throw tooLarge(`input of ${step}`, bytes, limits.payloadBytes);
  if (body.length <= limits.messageBytes) return;
  throw tooLarge(`request for ${step}`, body.length, limits.messageBytes);
}

const unusable = (problem: string): Fault => new PermanentFault("step.input_unusable", problem);

const tooLarge = (what: string, bytes: number, most: number): Fault =>
  new PermanentFault(
    "step.input_too_large",
    `The ${what} is ${bytes} bytes long, of at most ${most}`,
  );
