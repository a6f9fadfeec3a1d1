import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { familyOf } from "@holdfast/domain";
import type { SubmissionStore } from "@holdfast/state-store";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Access } from "../access/access.ts";
import { invalidRequest } from "../problem.ts";
import { roomFor } from "../room.ts";
import { completeCodes } from "./codes.ts";
import { type TypedWorkflow, withWorkflows } from "./workflow-document.ts";

const description = `Submits tasks, shows them and operates them. All errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`. A task is shown to all who know its id; approvals to those who decide them, by a key or a token of their own; the other routes need the operator's token. Every read sees every write that was answered before it was asked.`;

/** Collects the routes that are added to scopes of \`app\` from now on. */
export function openDocument(app: FastifyInstance): void {
  completeCodes(app);
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Holdfast",
        description,
        version: "v1",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      tags: [
        { name: "tasks", description: "Tasks of any workflow." },
        { name: "approvals", description: "Steps that people decide." },
        { name: "collections", description: "Submitting at a workflow's own noun." },
        { name: "workflows", description: "Stored workflows." },
        { name: "agents", description: "Agents and their instances." },
        { name: "bulk", description: "One action on many tasks." },
        { name: "remotes", description: "Remote services and their circuit breakers." },
        { name: "statistics", description: "What happens, what happened, and what failed alike." },
        { name: "service", description: "The service itself." },
      ],
      components: {
        securitySchemes: {
          operatorToken: { type: "http", scheme: "bearer", description: "`OPERATOR_TOKEN`." },
          principal: {
            type: "http",
            scheme: "bearer",
            description: "A key or a token of one's own, which the file of `ACCESS_FILE` knows.",
          },
        },
      },
    },
    refResolver: { buildLocalReference: ({ $id }) => $id as string },
  });
}

/** Documents as they are answered, by those that were collected. */
const portable = new WeakMap<object, object>();

/** The document of the routes that were added. */
export function documentOf(app: FastifyInstance): object {
  const collected = app.swagger();
  const known = portable.get(collected);
  if (known !== undefined) return known;
  const made = JSON.parse(JSON.stringify(collected), withPortablePattern) as object;
  portable.set(collected, made);
  return made;
}

/**
 * Leaves halves of characters out of a pattern: texts of other languages have none, and their
 * engines, such as that of pydantic, refuse a pattern that names them. Here they are refused as
 * before.
 */
const withPortablePattern = (key: string, value: unknown): unknown =>
  key === "pattern" && typeof value === "string"
    ? value.replaceAll(String.raw`\ud800-\udfff`, "")
    : value;

/**
 * The active versions that are asked for. Throws a 422 for a name that is none of theirs, and for
 * too many of them.
 */
async function workflowsOf(
  store: DocumentSources["store"],
  asked: string,
): Promise<readonly TypedWorkflow[]> {
  const active = (await store.findWorkflows()).filter(
    ({ isActive, retiredAt }) => isActive && retiredAt === null,
  );
  const names = asked === "active" ? null : asked.split(",").map((name) => name.trim());
  const meant = active.filter(
    ({ name }) => names === null || names.includes(name) || names.includes(familyOf(name)),
  );
  const unknown = names?.find(
    (one) => !meant.some(({ name }) => name === one || familyOf(name) === one),
  );
  if (unknown !== undefined) {
    const detail = `${unknown.slice(0, 200)} is no active workflow: say active for all`;
    throw invalidRequest([{ pointer: "/workflows", detail }]);
  }
  const found: TypedWorkflow[] = [];
  let bytes = 0;
  for (const { name, collections } of meant) {
    const definition = (await store.findWorkflow(name))?.definition;
    if (definition === undefined) continue;
    bytes += JSON.stringify(definition).length;
    if (bytes > mostDefinitions) {
      const detail = "must name fewer workflows: their definitions are longer than 4 MiB";
      throw invalidRequest([{ pointer: "/workflows", detail }]);
    }
    found.push({ definition, collections });
  }
  return found;
}

/** The page's own files and nothing else; it sets styles of elements. */
const policy = {
  "default-src": "'self'",
  "script-src": "'self'",
  "style-src": ["'self'", "'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "object-src": "'none'",
  "base-uri": "'self'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
};

interface DocumentSources {
  readonly store: Pick<SubmissionStore, "findWorkflows" | "findWorkflow">;
  readonly access: Pick<Access, "mustBeAllowed">;
}

/** The query of the document. */
const DocumentQuery = Type.Object({
  /**
   * `active`: with the schemas of all active workflows; or names of workflows with commas between
   * them.
   */
  workflows: Type.Optional(Type.String({ maxLength: 10_000 })),
});

/** Bytes of the definitions whose schemas an answer has. */
const mostDefinitions = 4 * 1024 * 1024;

/** Serves the document, and a page that shows it and asks no other host for anything. */
export function documentRoutes(app: FastifyInstance, { store, access }: DocumentSources): void {
  app.get<{ Querystring: Static<typeof DocumentQuery> }>(
    "/v1/openapi.json",
    { schema: { hide: true, querystring: DocumentQuery } },
    async (request, reply) => {
      const asked = request.query.workflows;
      if (asked === undefined) return documentOf(app);
      access.mustBeAllowed(request, "workflow-names");
      await roomFor(request, reply)(mostDefinitions);
      return withWorkflows(documentOf(app), await workflowsOf(store, asked));
    },
  );
  app.register(swaggerUi, {
    routePrefix: "/docs",
    // The page would ask a service of Swagger about the document.
    uiConfig: { validatorUrl: null, docExpansion: "list", deepLinking: true },
    staticCSP: policy,
  });
}
