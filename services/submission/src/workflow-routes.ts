import {
  contractHashesAside,
  definitionHashAside,
  findDefinitionFaults,
} from "@holdfast/contracts";
import {
  callsOf,
  Fault,
  type FaultCode,
  familyOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { OperationsStore, WorkflowRecord } from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { operatorName } from "./access/operator-names.ts";
import { ActBody, NameParams, storableName } from "./act-body.ts";
import { activateAwaited } from "./activate-awaited.ts";
import { describe, ref } from "./api/describe.ts";
import { cursorOf, pageFields, readCursor, sizeOf } from "./api/pages.ts";
import { Problem } from "./problem.ts";
import { unknownWorkflow, type WorkflowDirectory } from "./workflow-directory.ts";
import {
  contractWarnings,
  flowWarnings,
  keywordWarnings,
  missingFor,
  warningsOf,
} from "./workflow-warnings.ts";

interface WorkflowDependencies {
  readonly store: OperationsStore;
  readonly directory: WorkflowDirectory;
  readonly onRequest: onRequestAsyncHookHandler;
}

const stored = {
  words: "It is stored.",
  schema: ref("WorkflowStored"),
  headers: ["location"],
} as const;
/** Why the store keeps no such version. */
const conflicts = [
  "workflow.changed",
  "workflow.collection_reserved",
  "workflow.collection_taken",
  "workflow.contract_breaks",
  "workflow.format_too_new",
  "agent.remote_changed",
] as const satisfies readonly FaultCode[];
const done = { "204": { words: "Done." } };
const descriptions = {
  store: describe({
    id: "storeWorkflow",
    tag: "workflows",
    summary: "Stores a workflow. 201 when it is new, 200 when it was there.",
    description:
      "The first version of a workflow is active at once: names without a version mean it. A newer one that is stored later becomes active once its Agents are known; `waitsFor` says what is missing, and `active` which version is active. Storing what is stored activates nothing. `warnings` says that the workflow is retired, and names Agents that have never sent a heartbeat, operations that no running instance announces, instances whose contract of an operation does not fit what the workflow was made with, values that a step needs and of which no schema says that they are there, and keywords of schemas that are none of JSON Schema.",
    answers: { "200": stored, "201": stored },
    codes: { 409: conflicts, 422: ["workflow.invalid"] },
  }),
  list: describe({
    id: "listWorkflows",
    tag: "workflows",
    summary: "The stored workflows, with their collections, and which are retired.",
    description: "The latest first, a page at a time.",
    answers: { "200": { words: "A page.", schema: ref("Workflows") } },
  }),
  show: describe({
    id: "getWorkflow",
    tag: "workflows",
    summary: "A workflow and its definition; without a version the active one.",
    description:
      "The definition has its steps with their policies and undos, and the JSON Schemas of its input and of what its Agents take and return.",
    answers: { "200": { words: "The workflow.", schema: ref("StoredWorkflow") } },
    codes: { 404: ["workflow.unknown"], 410: ["workflow.retired"], 500: ["workflow.unusable"] },
  }),
  activate: describe({
    id: "activateWorkflow",
    tag: "workflows",
    summary: "Makes a version the active one: names without a version mean it from then on.",
    description:
      "Also an earlier version, to roll back, and one that is retired, which takes tasks again. It stays active until another one is activated or a newer one is stored. Refused while no Agent is known that does all that it calls, unless `allowUnknownAgents` is true.",
    answers: done,
    codes: { 404: ["workflow.unknown"], 409: ["workflow.agents_unknown"] },
  }),
  retire: describe({
    id: "retireWorkflow",
    tag: "workflows",
    summary: "Has the workflow take no new tasks.",
    description:
      "If it is the active version, the one that was active before is active again, or else the newest that takes tasks.",
    answers: done,
    codes: { 404: ["workflow.unknown"], 409: ["workflow.already_retired"] },
  }),
  reinstate: describe({
    id: "reinstateWorkflow",
    tag: "workflows",
    summary: "Has a retired workflow take tasks again.",
    answers: done,
    codes: { 404: ["workflow.unknown"], 409: ["workflow.not_retired"] },
  }),
};

const stillRetired =
  "The workflow is retired, and takes no new tasks. Reinstate it, or store it under a new version.";

/**
 * The body is the definition, so who stores it stands beside it. Not closed: what a proxy adds is
 * no mistake.
 */
const StoreQuery = Type.Object({
  actor: Type.Optional(
    Type.String({ ...storableName, description: "Who stores it: kept with it." }),
  ),
  storeOnly: Type.Optional(
    Type.Literal("true", {
      description: "A version that is not the first stays inactive until it is activated.",
    }),
  ),
});

/** The schema of the route that stores. */
const storing = {
  ...descriptions.store,
  params: NameParams,
  querystring: StoreQuery,
  body: ref("WorkflowDefinition"),
};

const ActivateQuery = Type.Object({
  allowUnknownAgents: Type.Optional(
    Type.Literal("true", {
      description: "Activates it although Agents are not known: its tasks wait for them.",
    }),
  ),
});

const pages = { usual: 100, most: 500 };
const ListQuery = Type.Object(pageFields(pages), { additionalProperties: false });

interface ByName {
  readonly Params: { readonly name: string };
}
interface Activating extends ByName {
  readonly Body: Static<typeof ActBody>;
  readonly Querystring: Static<typeof ActivateQuery>;
}
interface Storing extends ByName {
  readonly Body: unknown;
  readonly Querystring: Static<typeof StoreQuery>;
}

/** Stores, shows and retires workflows: for operators. */
export function workflowRoutes(app: FastifyInstance, deps: WorkflowDependencies): void {
  const { store, directory, onRequest } = deps;
  const params = NameParams;

  app.put<Storing>(
    "/v1/workflows/:name",
    { onRequest, schema: storing },
    async ({ params: { name }, query, body, log }, reply) => {
      const definition = await readWorkflow(body, name);
      const calls = { steps: callsOf(definition) };
      const actor = operatorName(query.actor ?? "unnamed");
      const options = {
        storedBy: actor,
        ...(query.storeOnly === undefined ? {} : { activates: false }),
      };
      const kind = await store.registerWorkflow(definition, options).catch(refuse);
      const hash = await definitionHashAside(definition);
      log.info({ workflow: name, hash, actor, kind }, "workflow stored");
      await activateAwaited({ store, directory, log })();
      await directory.reload();
      const workflows = await store.findWorkflows();
      const known = workflows.find((one) => one.name === name);
      const active = activeOf(workflows, name);
      const agents = await store.findKnownAgents();
      const warnings = [
        ...(known?.retiredAt == null ? [] : [stillRetired]),
        ...warningsOf(calls, agents),
        ...contractWarnings(name, await store.findContractDifferences({ workflows: null })),
        ...(await flowWarnings(definition)),
        ...keywordWarnings(definition),
      ];
      const waitsFor = known?.awaitsAgents === true ? missingFor(calls, agents) : [];
      return reply
        .code(kind === "created" ? 201 : 200)
        .header("location", `/v1/workflows/${encodeURIComponent(name)}`)
        .send({ name, active, waitsFor, warnings });
    },
  );

  showRoutes(app, deps);
  activateRoute(app, deps);

  const onWorkflow = (
    act: "retire" | "reinstate",
    change: (act: { name: string } & Static<typeof ActBody>) => Promise<boolean>,
  ): void => {
    app.post<ByName & { readonly Body: Static<typeof ActBody> }>(
      `/v1/workflows/:name/${act}`,
      { onRequest, schema: { ...descriptions[act], params, body: ActBody } },
      async ({ params: { name }, body }, reply) => {
        const isChanged = await change({ ...body, name });
        await directory.reload();
        if (!isChanged) throw unchanged(name, await store.findWorkflows());
        return reply.code(204).send();
      },
    );
  };
  onWorkflow("retire", store.retireWorkflow);
  onWorkflow("reinstate", store.reinstateWorkflow);
}

function showRoutes(
  app: FastifyInstance,
  { store, directory, onRequest }: WorkflowDependencies,
): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    "/v1/workflows",
    { onRequest, schema: { ...descriptions.list, querystring: ListQuery } },
    async ({ query: { limit, after } }) => {
      const workflows = await store.findWorkflows();
      const last = readCursor(after, (text) => workflows.some(({ name }) => name === text));
      const start = workflows.findIndex(({ name }) => name === last) + 1;
      const end = start + sizeOf(limit, pages);
      return {
        items: workflows.slice(start, end).map(workflowResource),
        next: end < workflows.length ? cursorOf(workflows[end - 1]?.name ?? null) : null,
      };
    },
  );

  const schema = { ...descriptions.show, params: NameParams };
  app.get<ByName>("/v1/workflows/:name", { onRequest, schema }, async (request) => {
    // Another process may have just stored or activated a version.
    await directory.reload();
    const { name, definition } = await directory.find(request.params.name, () => true);
    const record = (await store.findWorkflows()).find((one) => one.name === name);
    const waitsFor =
      record?.awaitsAgents === true
        ? missingFor({ steps: callsOf(definition) }, await store.findKnownAgents())
        : [];
    const shown = record === undefined ? { name } : workflowResource(record);
    return { ...shown, waitsFor, definition, contracts: await contractHashesAside(definition) };
  });
}

function activateRoute(
  app: FastifyInstance,
  { store, directory, onRequest }: WorkflowDependencies,
): void {
  const schema = {
    ...descriptions.activate,
    params: NameParams,
    querystring: ActivateQuery,
    body: ActBody,
  };
  app.post<Activating>(
    "/v1/workflows/:name/activate",
    { onRequest, schema },
    async ({ params: { name }, query, body, log }, reply) => {
      const workflow = await store.findWorkflow(name);
      if (workflow === null) throw unknownWorkflow(name, await store.findWorkflows());
      const isForced = query.allowUnknownAgents !== undefined;
      const missing = isForced
        ? []
        : missingFor({ steps: callsOf(workflow.definition) }, await store.findKnownAgents());
      if (missing.length > 0) throw agentsMissing(name, missing);
      await store.activateWorkflow({ ...body, name, asAwaited: false });
      log.info({ workflow: name, actor: body.actor }, "workflow activated");
      await directory.reload();
      return reply.code(204).send();
    },
  );
}

const agentsMissing = (name: string, missing: readonly string[]) =>
  new Problem(
    409,
    "workflow.agents_unknown",
    `${name} cannot become active: ${missing.join(" ")} Activate it with ?allowUnknownAgents=true to have its tasks wait for them.`,
  );

/** The active version of the workflow that this is a version of; null: all are retired. */
const activeOf = (workflows: readonly WorkflowRecord[], name: string): string | null =>
  workflows.find((one) => one.isActive && familyOf(one.name) === familyOf(name))?.name ?? null;

async function readWorkflow(body: unknown, name: string): Promise<WorkflowDefinition> {
  const faults = await findDefinitionFaults(body);
  const definition = body as WorkflowDefinition;
  const misnamed =
    faults.length === 0 && definition.name !== name
      ? [{ pointer: "/name", detail: `must be that of the path, which is ${name}` }]
      : [];
  const errors = [...faults, ...misnamed];
  if (errors.length === 0) return definition;
  throw new Problem(422, "workflow.invalid", "The workflow failed validation; see errors.", errors);
}

function refuse(error: unknown): never {
  const code = conflicts.find((one) => error instanceof Fault && error.code === one);
  if (code === undefined || !(error instanceof Fault)) throw error;
  throw new Problem(409, code, `${error.message}.`);
}

const workflowResource = (record: WorkflowRecord) => ({
  name: record.name,
  collections: record.collections,
  createdAt: record.createdAt,
  storedBy: record.storedBy,
  active: record.isActive
    ? { at: record.activatedAt, by: record.activatedBy, reason: record.activatedReason }
    : null,
  awaitsAgents: record.awaitsAgents,
  retired:
    record.retiredAt === null
      ? null
      : { at: record.retiredAt, by: record.retiredBy, reason: record.retiredReason },
});

function unchanged(name: string, workflows: readonly WorkflowRecord[]): Problem {
  const record = workflows.find((one) => one.name === name);
  if (record === undefined) return unknownWorkflow(name, workflows);
  return record.retiredAt === null
    ? new Problem(409, "workflow.not_retired", `The workflow ${name} is not retired.`)
    : new Problem(409, "workflow.already_retired", `The workflow ${name} is retired already.`);
}
