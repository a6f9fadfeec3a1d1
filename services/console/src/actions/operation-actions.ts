import { call, type PathWith } from "../api/call.ts";
import type { BulkOperation, DeadLetter } from "../api/operations-types.ts";
import { shortId } from "../parts/format.ts";
import type { Action } from "./action.ts";

type NamedPath = Extract<PathWith<"post">, `/v1/${Kind}/{name}/${string}`>;

interface Act {
  readonly path: NamedPath;
  readonly verb: string;
  readonly explain: string;
  readonly isDangerous: boolean;
}

type Kind = "agents" | "workflows" | "remotes";

const acts = {
  agents: {
    pause: {
      path: "/v1/agents/{name}/pause",
      verb: "Pause",
      explain: "No Scheduler claims a further step of this Agent. Attempts that run go on.",
      isDangerous: false,
    },
    resume: {
      path: "/v1/agents/{name}/resume",
      verb: "Resume",
      explain: "Schedulers claim its steps again.",
      isDangerous: false,
    },
  },
  workflows: {
    pause: {
      path: "/v1/workflows/{name}/pause",
      verb: "Pause",
      explain:
        "No Scheduler claims a further step of this workflow's tasks. Attempts that run go on.",
      isDangerous: false,
    },
    resume: {
      path: "/v1/workflows/{name}/resume",
      verb: "Resume",
      explain: "Schedulers claim its steps again.",
      isDangerous: false,
    },
    activate: {
      path: "/v1/workflows/{name}/activate",
      verb: "Activate",
      explain:
        "New tasks that name no version get this one, and the version before takes none of them.",
      isDangerous: true,
    },
    retire: {
      path: "/v1/workflows/{name}/retire",
      verb: "Retire",
      explain: "The workflow takes no new tasks. Those that it has go on to their end.",
      isDangerous: true,
    },
    reinstate: {
      path: "/v1/workflows/{name}/reinstate",
      verb: "Reinstate",
      explain: "The workflow takes new tasks again.",
      isDangerous: false,
    },
  },
  remotes: {
    hold: {
      path: "/v1/remotes/{name}/hold",
      verb: "Hold",
      explain:
        "No step of its Agents is attempted until an operator releases it. Steps that are due wait.",
      isDangerous: true,
    },
    release: {
      path: "/v1/remotes/{name}/release",
      verb: "Release",
      explain: "The steps that it holds back are released, in growing numbers.",
      isDangerous: false,
    },
  },
} as const satisfies Readonly<Record<Kind, Readonly<Record<string, Act>>>>;

const nouns: Readonly<Record<Kind, string>> = {
  agents: "Agent",
  workflows: "workflow",
  remotes: "remote service",
};

/** Acts on an Agent, a workflow or a remote service, by its name. */
export function namedAction<K extends Kind>(
  kind: K,
  act: keyof (typeof acts)[K] & string,
  name: string,
): Action {
  // Each act of a kind is one: the compiler holds the table to it.
  const known = acts[kind] as { readonly [A in keyof (typeof acts)[K]]: Act };
  const { path, verb, explain, isDangerous } = known[act];
  return {
    verb,
    title: `${verb} ${nouns[kind]} ${name}`,
    explain,
    isDangerous,
    calls: [
      {
        target: name,
        request: ({ actor, reason }) =>
          call("post", path, { path: { name }, body: { actor, reason } }),
      },
    ],
    command: ({ target }) => [kind, act, target],
    field: null,
  };
}

/** Ends a bulk operation early. */
export const stopBulkAction = ({ id }: Pick<BulkOperation, "id">): Action => ({
  verb: "Stop",
  title: `Stop bulk operation ${shortId(id)}`,
  explain: "It acts on no further task. What it did already stays done.",
  isDangerous: true,
  calls: [
    {
      target: id,
      request: ({ actor, reason }) =>
        call("post", "/v1/bulk-operations/{id}/stop", { path: { id }, body: { actor, reason } }),
    },
  ],
  command: ({ target }) => ["bulk", "stop", target],
  field: null,
});

/** Sends a dead letter once more, or deletes it. */
export function deadLetterAction(
  act: "replay" | "discard",
  deadLetter: Pick<DeadLetter, "id">,
): Action {
  const { id } = deadLetter;
  const words = {
    replay: {
      verb: "Replay",
      explain:
        "The message is sent once more, as it came. If what made it a dead letter is still there, it comes back.",
      isDangerous: false,
    },
    discard: {
      verb: "Discard",
      explain: "The message is deleted for good. Who did it and why is kept.",
      isDangerous: true,
    },
  };
  return {
    ...words[act],
    title: `${words[act].verb} dead letter ${id}`,
    calls: [
      {
        target: id,
        request: ({ actor, reason }) =>
          call("post", `/v1/dead-letters/{id}/${act}`, { path: { id }, body: { actor, reason } }),
      },
    ],
    command: ({ target }) => ["dead-letters", act, target],
    field: null,
  };
}
