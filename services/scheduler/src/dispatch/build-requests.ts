import { limits, StepRequest } from "@holdfast/contracts";
import {
  Fault,
  idempotencyKey,
  type Json,
  lookupIn,
  PermanentFault,
  refsOf,
  resolveTemplate,
  type StepDefinition,
  type StepPlan,
  stepOfRef,
} from "@holdfast/domain";
import type {
  ClaimedStep,
  LoadedValues,
  StateStore,
  StepContracts,
  StoredWorkflow,
  ValueRef,
} from "@holdfast/state-store";

export type RequestStore = Pick<StateStore, "findWorkflow" | "loadValues" | "loadCalls">;

/** A claimed step and the message for its Agent, or why there is nothing that could be sent. */
export type BuiltRequest =
  | {
      readonly claim: ClaimedStep;
      readonly body: Buffer;
      /** Of an undo: the last attempt at what is undone. */
      readonly undoes?: { readonly step: string; readonly attempt: number };
    }
  | { readonly claim: ClaimedStep; readonly fault: Fault };

/** A claimed step with what its workflow says about it. */
interface Job {
  readonly claim: ClaimedStep;
  readonly plan: StepPlan;
  /** The call that is to be made, or undone. */
  readonly call: StepDefinition;
  readonly contracts: StepContracts;
}

/**
 * Fills in what each step needs. Nothing of it is stored: definition, input of the task and outputs
 * never change, so every attempt and every relay finds the same.
 */
export async function buildRequests(
  store: RequestStore,
  claims: readonly ClaimedStep[],
): Promise<readonly BuiltRequest[]> {
  const jobs = await Promise.all(claims.map((claim) => jobOf(store, claim)));
  const found = jobs.filter((job) => "plan" in job);
  const undoing = found.filter(({ plan }) => plan.undoes !== null);
  const needed = found.filter((job) => !isComplete(job)).flatMap(valuesNeeded);
  const [values, calls] = await Promise.all([
    needed.length === 0 ? nothingLoaded : store.loadValues(needed),
    undoing.length === 0
      ? []
      : store.loadCalls({ taskIds: undoing.map(({ claim }) => claim.taskId) }),
  ]);
  const callRows = new Map(calls.map((row) => [`${row.taskId} ${row.name}`, row]));
  return jobs.map((job) => {
    if ("fault" in job) return job;
    const known = isComplete(job)
      ? cameAlong(job.claim)
      : (values.get(job.claim.taskId) ?? nothing);
    const row = callRows.get(`${job.claim.taskId} ${job.call.name}`);
    const built = attempt(job.claim, () => {
      if (known.problem !== null) throw unusable(known.problem);
      return {
        ...commonOf(job),
        input: job.plan.undoes === null ? checkedInputOf(job, known) : null,
        ...(job.plan.undoes !== null && row !== undefined ? { undo: undoOf(job, known, row) } : {}),
      };
    });
    return job.plan.undoes === null || row === undefined
      ? built
      : { ...built, undoes: { step: row.name, attempt: row.attempt } };
  });
}

const nothing: LoadedValues = {
  input: null,
  outputs: new Map(),
  correctedInputs: new Map(),
  problem: null,
};
const nothingLoaded: ReadonlyMap<string, LoadedValues> = new Map();

/** All that the request is made of came with the claim. */
const isComplete = ({ claim, plan, call }: Job): boolean =>
  claim.taskInput !== null &&
  plan.undoes === null &&
  refsOf(call.input).every((ref) => stepOfRef(ref) === null);

const cameAlong = ({ taskInput }: ClaimedStep): LoadedValues => ({ ...nothing, input: taskInput });

async function jobOf(
  store: RequestStore,
  claim: ClaimedStep,
): Promise<Job | { readonly claim: ClaimedStep; readonly fault: Fault }> {
  const workflow = await store.findWorkflow(claim.workflow);
  const plan = workflow?.plan.steps.get(claim.name);
  const call = callOf(workflow, plan);
  if (workflow !== null && plan !== undefined && call !== undefined) {
    return { claim, plan, call, contracts: workflow.contracts };
  }
  return { claim, fault: new UnknownStep(claim) };
}

const callOf = (workflow: StoredWorkflow | null, plan: StepPlan | undefined) =>
  workflow?.definition.steps.find(({ name }) => name === (plan?.undoes ?? plan?.name));

class UnknownStep extends Fault {
  readonly transient = false;
  constructor({ workflow, name }: ClaimedStep) {
    super("step.not_in_workflow", `${workflow} has no step ${name}`);
  }
}

/** The step's own name asks for the input that an operator may have corrected. */
function valuesNeeded({ claim: { taskId }, call, plan }: Job): readonly ValueRef[] {
  const refs = refsOf(call.input).map(stepOfRef);
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

const inputOf = ({ call }: Job, values: LoadedValues): Json =>
  values.correctedInputs.get(call.name) ?? resolveTemplate(call.input, lookupIn(values));

/** The input of a call, held to the contract that the workflow was defined with. */
function checkedInputOf(job: Job, values: LoadedValues): Json {
  const input = inputOf(job, values);
  const fault = job.contracts.input(job.call.name, input);
  if (fault !== null) throw fault;
  return input;
}

/** Not held to a contract: what was done is undone, whatever is said of it by now. */
function undoOf(
  job: Job,
  values: LoadedValues,
  row: { readonly processState: string; readonly keyGeneration: number },
): NonNullable<StepRequest["undo"]> {
  const completed = row.processState === "processed";
  return {
    step: job.call.name,
    key: idempotencyKey(job.claim.taskId, { name: job.call.name, undoes: null }, row.keyGeneration),
    input: inputOf(job, values),
    output: completed ? (values.outputs.get(job.call.name) ?? null) : null,
    outcome: completed ? "completed" : "unknown",
  };
}

/**
 * A ref that leads nowhere, an input that is too large, or stored values that cannot be written as JSON
 * (nested too deep) fail their own step and no other.
 */
function attempt(claim: ClaimedStep, build: () => StepRequest): BuiltRequest {
  try {
    const request = build();
    const body = StepRequest.encode(request);
    mustFit(request, body);
    return { claim, body };
  } catch (error) {
    const fault = error instanceof Fault ? error : unusable((error as Error).message);
    return { claim, fault };
  }
}

/** A template may refer to large values again and again. The broker closes the channel over such a message. */
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
