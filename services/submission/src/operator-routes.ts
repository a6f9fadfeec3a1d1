import { createHash, timingSafeEqual } from "node:crypto";
import { payloadFaults } from "@holdfast/contracts";
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
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Orders } from "./find-orders.ts";
import { Problem } from "./problem.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "applyIncidents" | "pause" | "resume" | "findPauses">;
  readonly orders: Orders;
  /** What an operator must show; null: nobody is one. */
  readonly token: string | null;
  /** Tells the Schedulers that there may be something to do. */
  readonly hint: () => void;
  /** Tells Agents what need not be finished. */
  readonly cancel: (needless: readonly AttemptOfTask[]) => void;
}

const words = { minLength: 1, maxLength: 1_000 };
const closed = { additionalProperties: false };

/** Who wants it, and why: both stand in the history. */
const Wish = { actor: Type.String({ ...words, maxLength: 200 }), reason: Type.String(words) };
/** The version of the order that the operator has seen: another one is refused. */
const OrderWish = { ...Wish, version: Type.Integer({ minimum: 1 }) };
/** May be left out when only one step can be meant. */
const step = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

const PauseBody = Type.Object(Wish, closed);
const OrderBody = Type.Object(OrderWish, closed);
const ResubmitBody = Type.Object({ ...OrderWish, step, input: Type.Optional(Type.Any()) }, closed);
const ResolveBody = Type.Object({ ...OrderWish, step, output: Type.Any() }, closed);

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
  const preHandler = async (request: FastifyRequest) => mustBeOperator(request, deps.token);

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
      { preHandler, schema: { body: OrderBody } },
      async ({ params, body }) => apply(await orders.find(params.id), body, { event }),
    );
  };
  onOrder("undo", { kind: "undoRequested", code: "operator.undo" });
  onOrder("cancel", { kind: "undoRequested", code: "operator.cancel" });
  onOrder("pause", { kind: "paused" });
  onOrder("resume", { kind: "resumed" });

  app.post<ById & { readonly Body: Static<typeof ResubmitBody> }>(
    "/v1/orders/:id/resubmit",
    { preHandler, schema: { body: ResubmitBody } },
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
    { preHandler, schema: { body: ResolveBody } },
    async ({ params, body }) => {
      const order = await orders.find(params.id);
      const { name, attempt } = failedStep(order, body.step);
      const output = body.output as Json;
      mustBeStorable(output, "output");
      return apply(order, body, { event: { kind: "resolved", step: name, attempt }, output });
    },
  );

  for (const kind of ["agent", "workflow"] as const) {
    const onTarget = (act: "pause" | "resume", refusal: string): void => {
      app.post<ByName & { readonly Body: Static<typeof PauseBody> }>(
        `/v1/${kind}s/:name/${act}`,
        { preHandler, schema: { body: PauseBody } },
        async ({ params: { name }, body }, reply) => {
          const target: PauseTarget = { kind, name };
          if (!(await store[act]({ ...target, ...body }))) {
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

  app.get("/v1/pauses", { preHandler }, async () => ({ items: await store.findPauses() }));
}

function mustBeOperator({ headers }: FastifyRequest, token: string | null): void {
  if (token === null) {
    throw new Problem(
      403,
      "operator.disabled",
      "Nobody may do this here: OPERATOR_TOKEN is not set for the submission service.",
    );
  }
  const shown = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(shown), digest(token))) return;
  throw new Problem(401, "operator.unknown", "Show the operator's token: Authorization: Bearer …");
}

/** Of the same length, whatever it is of. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

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

function mustBeStorable(json: Json, what: string): void {
  const faults = payloadFaults(json);
  if (faults.length === 0) return;
  throw new Problem(422, "request.invalid", `The ${what} ${faults.join(" and ")}.`);
}

const refusals: Readonly<Record<string, string>> = {
  "pause.in_force": "It is paused already.",
  "pause.not_in_force": "It is not paused.",
  "order.changed": "Somebody changed the order meanwhile: look at it again.",
  "order.task_finished": "The order has ended: nothing more can be done to it.",
  "order.wrong_goal":
    "The order is being undone already, or the step belongs to the other direction.",
  "order.not_in_error": "The step does not wait for an operator.",
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
