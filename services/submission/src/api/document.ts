import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { completeCodes } from "./codes.ts";

const description = `Submits tasks, shows them and operates them. All errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`. A task is shown to all who know its id; the other routes need the operator's token. Every read sees every write that was answered before it was asked.`;

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
        { name: "collections", description: "Submitting at a workflow's own noun." },
        { name: "workflows", description: "Stored workflows." },
        { name: "agents", description: "Agents and their instances." },
        { name: "bulk", description: "One action on many tasks." },
        { name: "remotes", description: "Remote services and their circuit breakers." },
        { name: "statistics", description: "What happens, what happened, and what failed alike." },
        { name: "service", description: "The service itself." },
      ],
      components: {
        securitySchemes: { operatorToken: { type: "http", scheme: "bearer" } },
      },
    },
    refResolver: { buildLocalReference: ({ $id }) => $id as string },
  });
}

/** The document of the routes that were added. */
export const documentOf = (app: FastifyInstance): object => app.swagger();

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

/** Serves the document, and a page that shows it and asks no other host for anything. */
export function documentRoutes(app: FastifyInstance): void {
  app.get("/v1/openapi.json", { schema: { hide: true } }, async () => documentOf(app));
  app.register(swaggerUi, {
    routePrefix: "/docs",
    // The page would ask a service of Swagger about the document.
    uiConfig: { validatorUrl: null, docExpansion: "list", deepLinking: true },
    staticCSP: policy,
  });
}
