import { collectionPattern } from "@holdfast/contracts";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { type Noun, taskNoun } from "./noun.ts";
import { noRoute } from "./problem.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

/** A place where tasks are submitted, shown and operated: the same routes at each. */
export interface Door {
  /** The path that all its routes begin with. */
  readonly path: string;
  readonly isOfCollection: boolean;
  /** What its tasks are called in the summaries of its routes. */
  readonly noun: { readonly one: string; readonly many: string };
  /** Schemas of the parameters in `path`. */
  readonly params: Readonly<Record<string, ReturnType<typeof Type.String>>>;
  /** Throws a 404 where there is no such collection. */
  nounOf(request: Pick<FastifyRequest, "params" | "method" | "url">): Promise<Noun>;
}

/** `/v1/tasks`, and one for each collection that a stored workflow has. */
export const doorsOf = (
  directory: Pick<WorkflowDirectory, "noun">,
): readonly [everyTask: Door, collections: Door] => [
  {
    path: "/v1/tasks",
    isOfCollection: false,
    noun: { one: "task", many: "Tasks" },
    params: {},
    nounOf: async () => taskNoun,
  },
  {
    path: "/v1/:collection",
    isOfCollection: true,
    noun: { one: "task of the collection", many: "Tasks of the collection" },
    params: {
      collection: Type.String({
        maxLength: 100,
        description: "The noun of a workflow's tasks, such as orders.",
      }),
    },
    async nounOf(request) {
      const { collection } = request.params as { readonly collection: string };
      const isOne = isCollection.test(collection);
      const noun = isOne ? await directory.noun(collection) : null;
      if (noun === null) throw noRoute(request);
      return noun;
    },
  },
];

const isCollection = new RegExp(collectionPattern);
