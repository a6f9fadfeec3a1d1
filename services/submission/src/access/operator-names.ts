import type { FastifyInstance } from "fastify";

const prefix = "operator:";

/**
 * The name under which the store keeps what an operator does. What people type as their name is
 * proved by nothing, so it is marked, and cannot be read as the name of a process.
 */
export const operatorName = (typed: string): string =>
  typed.startsWith(prefix) ? typed : `${prefix}${typed}`;

export const isOperatorName = (name: string): boolean => name.startsWith(prefix);

/**
 * Has every route that takes an `actor` in its body get it as an operator's name, whatever was
 * typed.
 */
export function nameOperators(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (!takesActor(route.schema?.body)) return;
    route.preHandler = [nameOperator, ...[route.preHandler ?? []].flat()];
  });
}

async function nameOperator({ body }: { readonly body: unknown }): Promise<void> {
  const act = body as { actor?: string };
  if (act.actor !== undefined) act.actor = operatorName(act.actor);
}

/**
 * Whether a body takes an actor by its schema: the input of a workflow may have a field of that
 * name, too.
 */
function takesActor(body: unknown): boolean {
  const properties: unknown = Object(body)["properties"];
  return (
    typeof properties === "object" && properties !== null && Object.hasOwn(properties, "actor")
  );
}
