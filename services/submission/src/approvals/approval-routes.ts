import { audiencePattern, limits, Payload } from "@holdfast/contracts";
import { type Json, printablePattern, readablePattern } from "@holdfast/domain";
import type { OpenApproval } from "@holdfast/state-store";
import { approvalOutcome } from "@holdfast/state-store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "../access/access.ts";
import { isOfAudience, type Principal } from "../access/principal.ts";
import { describe, ref } from "../api/describe.ts";
import { examples } from "../api/examples.ts";
import { pageFields, sizeOf } from "../api/pages.ts";
import { TaskParams } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import { mostResultBytes } from "../results/result-of.ts";
import { type MakeRoom, roomForRows } from "../room.ts";
import {
  type ApprovalDependencies,
  type ApprovalStep,
  approvalIn,
  type FoundStep,
  findStep,
  isExcluded,
  readShown,
  workflowOf,
} from "./approval-step.ts";
import { decide, decisionCodes, mustBeOfAudience, mustHaveReason } from "./decide.ts";

interface ApprovalRouteDependencies extends ApprovalDependencies {
  readonly access: Pick<Access, "toDecide">;
  readonly hint: (due: "waits") => void;
}

/**
 * Shows steps that wait for people, and takes what they decide. Operators see all of them, and
 * decide none: their token is shared, and says nothing of who they are.
 */
export function approvalRoutes(app: FastifyInstance, deps: ApprovalRouteDependencies): void {
  listRoute(app, deps);
  oneRoute(app, deps);
  decisionRoute(app, deps);
}

/** Approvals of a page. */
const pages = { usual: 50, most: 100 };
/** Bytes of what is shown, and of the schema of a form, of each approval in a list. */
const mostListed = 16 * 1024;

/** The id of a task, `/` and a step. */
const place = {
  maxLength: 37 + limits.name,
  pattern: "^([0-9a-f]{8})-([0-9a-f]{4}-){3}[0-9a-f]{12}/[^/]+$",
};

const ListQuery = Type.Object(
  {
    audience: Type.Optional(
      Type.String({
        maxLength: 63,
        pattern: audiencePattern,
        description: "Those of one audience alone.",
      }),
    ),
    mine: Type.Optional(
      Type.Union([Type.Literal("true"), Type.Literal("false")], {
        description:
          "`true`: those alone that who asks may decide now: neither excluded from it, nor has it decided. Not for operators.",
      }),
    ),
    ...pageFields(pages, place),
  },
  { additionalProperties: false },
);

function listRoute(app: FastifyInstance, deps: ApprovalRouteDependencies): void {
  const { store, directory, access } = deps;
  const schema = {
    ...describe({
      id: "listApprovals",
      tag: "approvals",
      summary: "Steps that wait for people: of the audiences of who asks, or all, for operators.",
      description:
        "With a key or a token that the file of `ACCESS_FILE` knows, or that of operators. A page may have fewer than it may have.",
      isFor: "either",
      answers: { "200": { words: "A page.", schema: ref("OpenApprovals") } },
      codes: {
        403: ["approval.needs_principal", "approval.not_in_audience"],
        500: ["workflow.unusable"],
      },
    }),
    querystring: ListQuery,
  };
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    "/v1/approvals",
    { schema, onRequest: access.toDecide },
    async (request, reply) => {
      const { principal, query } = request;
      const { audience, limit, after = null } = query;
      const isMine = query.mine === "true";
      if (isMine && principal === null) throw needsPrincipal();
      const audiences = audiencesFor(principal, audience);
      const undecidedBy = isMine ? (principal?.id ?? null) : null;
      const asked = { audiences, taskId: null, undecidedBy, after, most: sizeOf(limit, pages) };
      const { items, next } = await store.findApprovals(asked);
      const makeRoom = roomForRows(request, reply);
      const shown: object[] = [];
      for (const open of items) {
        const workflow = await workflowOf(directory, open.workflow);
        const definition = approvalIn(workflow, open.step);
        // Rows of a workflow that was changed by hand.
        if (definition === null) continue;
        const { taskId, submittedBy } = open;
        const step = { taskId, submittedBy, workflow, definition };
        const most = mostListed;
        const one = await approvalResource(deps, { step, open, principal, makeRoom, most });
        if (!isMine || one.mayDecide) shown.push(one);
      }
      return { items: shown, next };
    },
  );
}

/**
 * The audiences that are asked for; null: all. Throws a 403 for one that is not the principal's.
 */
function audiencesFor(
  principal: Principal | null,
  asked: string | undefined,
): readonly string[] | null {
  if (asked === undefined) {
    if (principal === null || principal.approves === "*") return null;
    return [...principal.approves];
  }
  if (principal === null || isOfAudience(principal, asked)) return [asked];
  throw new Problem(
    403,
    "approval.not_in_audience",
    `${principal.id} is not of the audience ${asked}.`,
  );
}

const StepParams = Type.Object({
  ...TaskParams.properties,
  step: Type.String({
    minLength: 1,
    maxLength: limits.name,
    pattern: printablePattern,
    description: "The name of the step.",
  }),
});
interface OfStep {
  readonly Params: { readonly id: string; readonly step: string };
}

function oneRoute(app: FastifyInstance, deps: ApprovalRouteDependencies): void {
  const { store, access } = deps;
  const schema = {
    ...describe({
      id: "getApproval",
      tag: "approvals",
      summary: "A step that people decide: what was said, and how it ended.",
      description: "Shown to its audience, and to operators.",
      isFor: "either",
      answers: { "200": { words: "The approval.", schema: ref("Approval") } },
      codes: {
        403: ["approval.not_in_audience"],
        404: decisionCodes[404],
        500: decisionCodes[500],
      },
    }),
    params: StepParams,
  };
  app.get<OfStep>(
    "/v1/tasks/:id/steps/:step/approval",
    { schema, onRequest: access.toDecide },
    async (request, reply) => {
      const { principal, params } = request;
      const found = await findStep(deps, { taskId: params.id, step: params.step });
      if (principal !== null) mustBeOfAudience(principal, found);
      const open = await findOpen(store, found);
      const makeRoom = roomForRows(request, reply);
      const how = { step: found, open, principal, makeRoom, most: mostResultBytes };
      const resource = await approvalResource(deps, how);
      return { ...resource, outcome: outcomeIn(found, resource) };
    },
  );
}

/** The step as it waits for people; null: it does not. */
async function findOpen(
  store: ApprovalDependencies["store"],
  { taskId, definition }: FoundStep,
): Promise<OpenApproval | null> {
  const all = { audiences: null, undecidedBy: null, after: null, most: limits.steps };
  const { items } = await store.findApprovals({ ...all, taskId });
  return items.find(({ step }) => step === definition.name) ?? null;
}

function outcomeIn(
  { task, definition }: FoundStep,
  { openedAt, decisions }: Pick<ApprovalResource, "openedAt" | "decisions">,
) {
  const step = task.steps.find(({ name }) => name === definition.name);
  if (step === undefined) return null;
  const { processState: state, faultCode } = step;
  return approvalOutcome(
    { state, faultCode, isOver: openedAt === null },
    definition.quorum,
    decisions,
  );
}

interface ShownApproval {
  readonly step: ApprovalStep;
  /** The step as it waits; null: it does not. */
  readonly open: OpenApproval | null;
  readonly principal: Principal | null;
  readonly makeRoom: MakeRoom;
  /** Bytes of what is shown, and of the schema of the form. */
  readonly most: number;
}

type ApprovalResource = Awaited<ReturnType<typeof approvalResource>>;

/** A step that people decide, as one of them sees it. */
async function approvalResource(
  deps: ApprovalDependencies,
  { step, open, principal, makeRoom, most }: ShownApproval,
) {
  const { taskId, submittedBy, workflow, definition } = step;
  const { name, audience, quorum, onDeadline } = definition;
  const { excluded, show } = await readShown(deps, step, { makeRoom, most });
  const form = formOf(step, most);
  const decisions = open?.decisions ?? (await deps.store.findDecisions({ taskId, step: name }));
  const mayDecide =
    open !== null &&
    principal !== null &&
    isOfAudience(principal, audience) &&
    excluded !== null &&
    !isExcluded(principal, excluded) &&
    !decisions.some(({ id }) => id === principal.id);
  const omitted = [
    ...(show === undefined ? (["show"] as const) : []),
    ...(form === undefined ? (["form"] as const) : []),
  ];
  return {
    taskId,
    step: name,
    workflow: workflow.name,
    key: open?.businessKey ?? null,
    submittedBy,
    audience,
    quorum,
    openedAt: open?.openedAt ?? null,
    deadline: open?.deadline ?? null,
    onDeadline,
    paused: open?.isPaused ?? false,
    mayDecide,
    decisions: decisions.map(({ id, name: of, decision, reason, form: filled, at }) => ({
      id,
      name: of,
      decision,
      reason,
      form: filled,
      at,
    })),
    show: show ?? null,
    form: form ?? null,
    ...(omitted.length === 0 ? {} : { omitted }),
  };
}

/** The schema of the form of a step; null: it has none; undefined: it is too large. */
function formOf(
  { workflow, definition }: ApprovalStep,
  most: number,
): object | boolean | null | undefined {
  const { forms = {} } = workflow.definition;
  if (!Object.hasOwn(forms, definition.name)) return null;
  const schema = forms[definition.name] as object | boolean;
  return JSON.stringify(schema).length > most ? undefined : schema;
}

const DecisionBody = Type.Object(
  {
    decision: Type.Union([Type.Literal("approve"), Type.Literal("reject")], {
      description: "One who rejects decides alone.",
    }),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.words,
        pattern: readablePattern,
        description: "Why: kept with the decision. A rejection needs one.",
      }),
    ),
    form: Type.Optional(
      Type.Unsafe<Json>({
        ...Payload,
        description:
          "What was filled in, by the schema that the workflow has for the step: for approvals alone; ≤ 64 KiB.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "The decision.",
    examples: [examples.decision],
  },
);

function decisionRoute(app: FastifyInstance, deps: ApprovalRouteDependencies): void {
  const schema = {
    ...describe({
      id: "decideApproval",
      tag: "approvals",
      summary: "Approves or rejects a step, as one of its audience.",
      description:
        "With a key or a token that the file of `ACCESS_FILE` knows, and not with that of operators. Each decides once: the same decision once more is answered as the first time.",
      isFor: "principals",
      answers: {
        "200": {
          words: "It is kept.",
          schema: ref("DecisionCounted"),
          headers: ["idempotency-replayed"],
        },
      },
      codes: decisionCodes,
    }),
    params: StepParams,
    body: DecisionBody,
  };
  const onRequest = [
    ...deps.access.toDecide,
    async ({ principal }: FastifyRequest) => {
      if (principal === null) throw needsPrincipal();
    },
  ];
  app.post<OfStep & { readonly Body: Static<typeof DecisionBody> }>(
    "/v1/tasks/:id/steps/:step/decision",
    { schema, onRequest },
    async (request, reply) => {
      const { principal, params, body } = request;
      if (principal === null) throw needsPrincipal();
      const { decision, reason = null, form } = body;
      const asked = { taskId: params.id, step: params.step, decision, reason, form };
      mustHaveReason(asked);
      request.span?.set({ "holdfast.task.id": params.id });
      const counted = await decide(deps, principal, asked, roomForRows(request, reply));
      const { taskId, at, approvals, quorum, isDecided, replayed } = counted;
      if (replayed) void reply.header("idempotency-replayed", "true");
      const said = { taskId, step: params.step, decision, id: principal.id, at };
      return { ...said, approvals, quorum, decided: isDecided, replayed };
    },
  );
}

const needsPrincipal = () =>
  new Problem(
    403,
    "approval.needs_principal",
    "The operators' token is shared, and says nothing of who decides: show a key or a token of your own, which the file of ACCESS_FILE knows.",
  );
