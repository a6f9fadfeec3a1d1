import { limits, payloadFaults } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import type {
  AttemptOfTask,
  Incident,
  IncidentOutcome,
  PauseTarget,
  StateStore,
  StepRecord,
  TaskRecord,
} from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Orders } from "./find-orders.ts";
import { namesLike } from "./names-like.ts";
import { operatorGate } from "./operator-gate.ts";
import { Problem } from "./problem.ts";

interface Dependencies {
  readonly store: Pick<
    StateStore,
    | "applyIncidents"
    | "pause"
    | "resume"
    | "findPauses"
    | "findLanes"
    | "findWorkflow"
    | "findWorkflowNames"
  >;
  readonly orders: Orders;
  /** What an operator must show; null: nobody is one. */
  readonly token: string | null;
  /** Tells the Schedulers that there may be something to do. */
  readonly hint: () => void;
  /** Tells Agents what need not be finished. */
  readonly cancel: (needless: readonly AttemptOfTask[]) => void;
}

const closed = { additionalProperties: false };
/** A name without control characters and halves of characters; a text without NUL and such halves. */
const storableName = {
  minLength: 1,
  maxLength: limits.name,
  pattern: "^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$",
};
const words = { minLength: 1, maxLength: 1_000, pattern: "^[^\\u0000\\ud800-\\udfff]*$" };

/** Who wants it, and why: both stand in the history. */
const Wish = { actor: Type.String(storableName), reason: Type.String(words) };
/** The version of the order that the operator has seen: another one is refused. */
const OrderWish = { ...Wish, version: Type.Integer({ minimum: 1, maximum: limits.integer }) };
/** May be left out when only one step can be meant. */
const step = Type.Optional(Type.String(storableName));

const PauseBody = Type.Object(Wish, closed);
const OrderBody = Type.Object(OrderWish, closed);
const ResubmitBody = Type.Object({ ...OrderWish, step, input: Type.Optional(Type.Any()) }, closed);
const ResolveBody = Type.Object({ ...OrderWish, step, output: Type.Optional(Type.Any()) }, closed);
const NameParams = Type.Object({ name: Type.String(storableName) });
const StepParams = Type.Object({ id: Type.String(), step: Type.String(storableName) });

interface ById {
  readonly Params: { readonly id: string };
}

interface ByName {
  readonly Params: { readonly name: string };
}

/**
 * What operators do to orders, Agents and workflows. Each wish names its actor, its reason and the
 * version of the order that it is about, and goes through the state machine like everything else: what
 * somebody else has changed meanwhile is answered with 409, and so is a double click.
 */
export function operatorRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { store, orders, hint, cancel } = deps;
  const onRequest = operatorGate(deps.token);

  const apply = async (
    { taskId }: TaskRecord,
    wish: Static<typeof OrderBody>,
    incident: Omit<Incident, "taskId" | "expectedVersion">,
  ) => {
    const { actor, reason: note, version: expectedVersion } = wish;
    const { outcomes, needless } = await store.applyIncidents(
      [{ ...incident, taskId, expectedVersion }],
      { actor, note },
    );
    mustBeApplied(outcomes[0], wish);
    cancel(needless);
    hint();
    return orders.show(taskId);
  };

  const onOrder = (act: string, event: Incident["event"]): void => {
    app.post<ById & { readonly Body: Static<typeof OrderBody> }>(
      `/v1/orders/:id/${act}`,
      { onRequest, schema: { body: OrderBody } },
      async ({ params, body }) => apply(await orders.find(params.id), body, { event }),
    );
  };
  onOrder("undo", { kind: "undoRequested", code: "operator.undo" });
  onOrder("cancel", { kind: "undoRequested", code: "operator.cancel" });
  onOrder("pause", { kind: "paused" });
  onOrder("resume", { kind: "resumed" });

  app.post<{ Params: Static<typeof StepParams>; Body: Static<typeof OrderBody> }>(
    "/v1/orders/:id/steps/:step/retry",
    { onRequest, schema: { params: StepParams, body: OrderBody } },
    async ({ params, body }) => {
      const order = await orders.find(params.id);
      if (!order.steps.some((one) => one.name === params.step)) {
        const names = order.steps.map((one) => one.name);
        throw new Problem(
          404,
          "order.unknown_step",
          `The order has no step ${params.step}. Its steps: ${names.join(", ")}.`,
        );
      }
      return apply(order, body, { event: { kind: "retryRequested", step: params.step } });
    },
  );

  app.post<ById & { readonly Body: Static<typeof ResubmitBody> }>(
    "/v1/orders/:id/resubmit",
    { onRequest, schema: { body: ResubmitBody } },
    async ({ params, body }) => {
      const order = await orders.find(params.id);
      const failed = failedStep(order, body.step);
      const input = body.input as Json | undefined;
      if (input !== undefined) mustBeStorable(input, "input");
      if (input !== undefined && failed.kind === "compensation") {
        throw new Problem(
          422,
          "order.undo_has_no_input",
          "What an undo is given cannot be changed.",
        );
      }
      return apply(order, body, {
        event: {
          kind: "resubmitted",
          step: failed.name,
          attempt: failed.attempt,
          inputChanged: input !== undefined,
        },
        ...(input === undefined ? {} : { correctedInput: input }),
      });
    },
  );

  app.post<ById & { readonly Body: Static<typeof ResolveBody> }>(
    "/v1/orders/:id/resolve",
    { onRequest, schema: { body: ResolveBody } },
    async ({ params, body }) => {
      const order = await orders.find(params.id);
      const { name: resolved, attempt, kind } = failedStep(order, body.step);
      if (body.output === undefined && kind === "call") {
        throw new Problem(
          422,
          "request.invalid",
          `Say in output what step ${resolved} returned: the steps after it may use it.`,
        );
      }
      const output = (body.output ?? null) as Json;
      mustBeStorable(output, "output");
      if (kind === "call") {
        const stored = await store.findWorkflow(order.workflow);
        const fault = stored?.contract(resolved, output) ?? null;
        if (fault !== null) {
          throw new Problem(
            422,
            "request.invalid",
            `${fault.message}. The steps after ${resolved} rely on its contract.`,
          );
        }
      }
      return apply(order, body, { event: { kind: "resolved", step: resolved, attempt }, output });
    },
  );

  for (const kind of ["agent", "workflow"] as const) {
    const known = (): Promise<readonly string[]> =>
      kind === "agent" ? store.findLanes() : store.findWorkflowNames();
    const onTarget = (act: "pause" | "resume", refusal: string): void => {
      app.post<ByName & { readonly Body: Static<typeof PauseBody> }>(
        `/v1/${kind}s/:name/${act}`,
        { onRequest, schema: { params: NameParams, body: PauseBody } },
        async ({ params, body }, reply) => {
          const target: PauseTarget = { kind, name: params.name };
          // What is paused can always be resumed, also when no workflow names it any more.
          if (act === "pause") mustBeKnown(target, await known());
          if (!(await store[act]({ ...target, ...body }))) {
            mustBeKnown(target, await known());
            throw new Problem(409, refusal, refusals[refusal] ?? "");
          }
          if (act === "resume") hint();
          return reply.code(204).send();
        },
      );
    };
    onTarget("pause", "pause.in_force");
    onTarget("resume", "pause.not_in_force");
  }

  app.get("/v1/pauses", { onRequest }, async () => ({ items: await store.findPauses() }));
}

/** The step that is meant: the one named, or the only one that failed for this goal. */
function failedStep({ steps, goal }: TaskRecord, name: string | undefined): StepRecord {
  const kind = goal === "do" ? "call" : "compensation";
  const failed = steps.filter((one) => one.processState === "error" && one.kind === kind);
  const meant = failed.filter((one) => name === undefined || one.name === name);
  if (meant.length === 1 && meant[0] !== undefined) return meant[0];
  const names = failed.map((one) => one.name).join(", ");
  throw names === ""
    ? new Problem(409, "order.nothing_failed", "No step of this order waits for an operator.")
    : new Problem(409, "order.step_not_failed", `Say which step; these failed: ${names}.`);
}

function mustBeKnown({ kind, name: asked }: PauseTarget, known: readonly string[]): void {
  if (known.includes(asked)) return;
  const [what, code] =
    kind === "agent" ? ["Agent", "agent.unknown"] : ["workflow", "workflow.unknown"];
  const like = namesLike(asked, known).join(", ");
  const hint = like === "" ? "No workflow is stored yet." : `Did you mean one of these: ${like}?`;
  throw new Problem(404, code, `No stored workflow names the ${what} ${asked}. ${hint}`);
}

function mustBeStorable(json: Json, what: string): void {
  const faults = payloadFaults(json);
  if (faults.length === 0) return;
  throw new Problem(422, "request.invalid", `The ${what} ${faults.join(" and ")}.`);
}

const refusals: Readonly<Record<string, string>> = {
  "pause.in_force": "It is paused already.",
  "pause.not_in_force": "It is not paused.",
  "order.changed": "Somebody changed the order meanwhile: look at it again.",
  "order.unusable_task":
    "The definition of its workflow, or its rows, were changed in the state store: restore them; see holdfast verify.",
  "order.task_finished": "The order has ended: nothing more can be done to it.",
  "order.wrong_goal":
    "The order is being undone already, or the step belongs to the other direction.",
  "order.not_in_error": "The step does not wait for an operator.",
  "order.not_pending":
    "The step does not wait to be tried: it is being worked on, done or not begun.",
  "order.not_delayed": "The step is due already: a Scheduler tries it as soon as it can.",
  "order.task_paused": "The order is paused: resume it, and its steps are tried at once.",
  "order.already_paused": "The order is paused already.",
  "order.not_paused": "The order is not paused.",
};

function mustBeApplied(
  outcome: IncidentOutcome | undefined,
  { version }: { version: number },
): void {
  if (outcome?.applied) return;
  const reason = outcome?.reason ?? "unknown_task";
  const code = reason === "version_changed" ? "order.changed" : `order.${reason}`;
  const detail = refusals[code] ?? "The order cannot be moved this way from where it stands.";
  throw new Problem(409, code, `${detail} You named version ${version}.`);
}
