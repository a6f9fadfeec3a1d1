import {
  callsOf,
  type Json,
  lookupIn,
  resolveTemplate,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type {
  FoundTask,
  LateReply,
  OperationsStore,
  StepLimits,
  TaskRecord,
} from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { describe, ref } from "../api/describe.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import { publicName } from "../public-names.ts";
import { roomForRows, wholeBytes } from "../room.ts";
import { unusable } from "../workflow-directory.ts";
import { type Attempt, attemptsOf, type Wait } from "./attempts.ts";

interface AttemptsDependencies {
  readonly store: OperationsStore;
  readonly tasks: Tasks;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** The newest attempts, waits and late replies that are shown. */
const most = 1_000;
/** Moves that are read for them: an attempt has two, and a task that halts and goes on has more. */
const mostMoves = 4_000;

/**
 * Shows the attempts of a task, with the deadline that each ran against, and what came too late.
 */
export function attemptsRoute(app: FastifyInstance, deps: AttemptsDependencies): void {
  const { onRequest } = deps;
  const schema = {
    ...describe({
      id: "listAttempts",
      tag: "tasks",
      summary:
        "The attempts of the task's steps, the waits between them, and replies that came too late.",
      description:
        "Newest first, at most 1,000 of each. `input` and `output` are those of the latest attempt of each step, of a mebibyte together; `truncated` says that something is left out.",
      answers: { "200": { words: "The attempts.", schema: ref("Attempts") } },
      codes: codesOfTask,
    }),
    params: TaskParams,
  };
  app.get<ById>("/v1/tasks/:id/attempts", { onRequest, schema }, async (request, reply) => {
    // For its payloads, and as much for its moves.
    await roomForRows(request, reply)(2 * wholeBytes);
    const found = await deps.tasks.find(request.params.id, () => {});
    return showAttempts(deps, found);
  });
}

interface ShownAttempts {
  readonly items: readonly (Attempt & { readonly input: Json; readonly output: Json })[];
  readonly waits: readonly Wait[];
  readonly lateReplies: readonly (Omit<LateReply, "at"> & { readonly at: string })[];
  /** Whether there are more attempts than are shown. */
  readonly truncated: boolean;
}

async function showAttempts(
  { store }: Pick<AttemptsDependencies, "store">,
  { task, isWhole }: FoundTask,
): Promise<ShownAttempts> {
  const [facts, stored] = await Promise.all([
    store.findAttemptFacts({ taskId: task.taskId, most: mostMoves, mostBytes: wholeBytes }),
    store.findWorkflow(task.workflow),
  ]);
  if (stored === null) throw unusable();
  const { moves, limits, lateReplies } = facts;
  const { attempts, waits } = attemptsOf({ moves, limits, steps: task.steps });
  const inputOf = attemptInputs({ task, definition: stored.definition, limits });
  const latest = new Map(task.steps.map((step) => [step.name, step]));
  const fitting = within(mostShownBytes);
  const items = attempts.slice(0, most).map((attempt) => {
    const step = latest.get(attempt.step);
    const isLatest = step?.attempt === attempt.attempt;
    const input = isLatest && isWhole ? inputOf(attempt.step) : null;
    const output = isLatest && attempt.outcome === "processed" ? step.output : null;
    return { ...attempt, input: fitting.take(input), output: fitting.take(output) };
  });
  return {
    items,
    waits: waits.slice(0, most),
    lateReplies: lateReplies.slice(0, most).map((reply) => ({
      ...reply,
      sender: reply.sender && publicName(reply.sender),
      at: reply.at.toISOString(),
    })),
    truncated:
      !isWhole ||
      fitting.isFull ||
      moves.length >= mostMoves ||
      [attempts, waits, lateReplies].some(({ length }) => length > most),
  };
}

/** Bytes of inputs and outputs of an answer: several steps may have the same large input. */
const mostShownBytes = 1024 * 1024;

/** Lets values through until so many bytes are taken; null stands for the others. */
function within(bytes: number) {
  let left = bytes;
  return {
    take(value: Json): Json {
      if (value === null || left <= 0) return null;
      left -= Buffer.byteLength(JSON.stringify(value));
      return left < 0 ? null : value;
    },
    get isFull() {
      return left < 0;
    },
  };
}

interface Sources {
  readonly task: Pick<TaskRecord, "input" | "steps">;
  readonly definition: WorkflowDefinition;
  readonly limits: readonly StepLimits[];
}

/**
 * What the request of a step holds, as it is made of the definition and of what the steps before it
 * returned; null stands for what they have not returned yet. Of an undo: what the step was given,
 * and what it returned.
 */
function attemptInputs({ task, definition, limits }: Sources): (step: string) => Json {
  const outputs = new Map(task.steps.map(({ name, output }) => [name, output]));
  const lookup = lookupIn({ input: task.input, outputs });
  const corrected = new Map(limits.map(({ name, input }) => [name, input]));
  const inputOf = (name: string): Json => {
    const template = callsOf(definition).find((step) => step.name === name)?.input;
    return (
      corrected.get(name) ?? (template === undefined ? null : resolveTemplate(template, lookup))
    );
  };
  return (step) => {
    const call = step.replace(/:undo$/, "");
    return call === step
      ? inputOf(step)
      : { input: inputOf(call), output: outputs.get(call) ?? null };
  };
}
