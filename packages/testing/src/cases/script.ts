import type { StepContext } from "@holdfast/agent";
import { sampleValue, schemaCompiler } from "@holdfast/contracts";
import {
  type AgentCode,
  callsOf,
  type Duration,
  type Json,
  PermanentFault,
  parseDuration,
  TransientFault,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { Timeline } from "../simulator/timeline.ts";
import type { Behaviour, Case } from "./case.ts";

/** What the handlers of a case do, call after call. */
export interface Script {
  /** Does what the next call of this step does. */
  perform(step: string, context: StepContext): Promise<Json>;
  /** Whether the Agent dies after this call of the step. Asked once. */
  crashes(steps: readonly string[]): boolean;
  /** Milliseconds for which the reply to this attempt is held up; 0: not at all. */
  heldFor(step: string, attempt: number): number;
}

const never = new Promise<never>(() => {});
const usual = { advance: null, times: 1 } as const;

/**
 * Plays the behaviours of a case. What it does not say succeeds, with the last reply of the step,
 * or with a sample.
 */
export function playScript(
  { steps }: Pick<Case, "steps">,
  {
    definition,
    timeline,
  }: { readonly definition: WorkflowDefinition; readonly timeline: Timeline },
): Script {
  const sampleOf = openSamples(definition);
  const next = behaviours(steps, sampleOf);
  const crashing = new Set<string>();
  const held = new Map<string, number>();
  const work = worker(definition, timeline);
  const lateBy = (name: string, by: Duration): number => {
    const { startWithin = 0, completeWithin = 0 } = policyOf(definition, name) ?? {};
    return startWithin + completeWithin + parseDuration(by);
  };

  return {
    async perform(name, context) {
      const behaviour = next(name);
      if (behaviour.advance !== null) await work(name, parseDuration(behaviour.advance), context);
      switch (behaviour.kind) {
        case "silence":
          return never;
        case "crash":
          crashing.add(name);
          return sampleOf(name);
        case "late":
          held.set(`${name} ${context.attempt}`, lateBy(name, behaviour.by));
          return behaviour.output;
        case "reply":
          return behaviour.output;
        case "fail":
          throw faultOf(behaviour);
      }
    },
    crashes(names) {
      const name = names.find((one) => crashing.has(one));
      return name !== undefined && crashing.delete(name);
    },
    heldFor: (name, attempt) => held.get(`${name} ${attempt}`) ?? 0,
  };
}

/** What each call of a step does, call after call. */
function behaviours(steps: Case["steps"], sampleOf: (name: string) => Json) {
  const played = new Map<string, number>();
  const success = (name: string): Behaviour => {
    const replies = steps[name]?.filter((one) => one.kind === "reply") ?? [];
    const output = replies.at(-1)?.output ?? sampleOf(name);
    return { kind: "reply", output, ...usual };
  };
  return (name: string): Behaviour => {
    const call = played.get(name) ?? 0;
    played.set(name, call + 1);
    let before = 0;
    for (const behaviour of steps[name] ?? []) {
      before += behaviour.times ?? Number.POSITIVE_INFINITY;
      if (call < before) return behaviour;
    }
    return success(name);
  };
}

/** Lets virtual time pass in a handler, which says meanwhile that it is at work. */
function worker(definition: WorkflowDefinition, timeline: Timeline) {
  const wait = (ms: number, { signal }: StepContext): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    timeline.after(ms, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise;
  };
  return async (name: string, ms: number, context: StepContext): Promise<void> => {
    const until = timeline.now + ms;
    const between = Math.max(50, (policyOf(definition, name)?.completeWithin ?? 1_000) / 4);
    while (timeline.now < until) {
      context.heartbeat();
      await wait(Math.min(between, until - timeline.now), context);
      context.signal.throwIfAborted();
    }
  };
}

function policyOf(definition: WorkflowDefinition, name: string) {
  const step = callsOf(definition).find((one) => one.name === name.replace(/:undo$/, ""));
  return name.endsWith(":undo") ? step?.undo : step;
}

function faultOf({
  code,
  message,
  transient,
  effect,
  retryAfter,
}: Extract<Behaviour, { kind: "fail" }>) {
  const says = effect === "none" ? { effect } : {};
  if (!transient) return new PermanentFault(code as AgentCode, message, says);
  const paces = retryAfter === null ? {} : { retryAfter };
  return new TransientFault(code as AgentCode, message, { ...says, ...paces });
}

/** What a step returns where a case says nothing of it: a value that its contract takes. */
function openSamples(definition: WorkflowDefinition): (name: string) => Json {
  const { outputs } = definition;
  const compile = schemaCompiler({ allErrors: false });
  const made = new Map<string, Json>();
  return (name) => {
    const step = callsOf(definition).find((one) => one.name === name);
    const schema = step && outputs?.[`${step.agent}.${step.operation}`];
    if (schema === undefined) return null;
    const known = made.get(name);
    if (known !== undefined) return known;
    const { check } = compile(schema);
    const fits = (value: Json): boolean => check(value).errors.length === 0;
    const sample = sampleValue(schema, { name: "sample", fits });
    made.set(name, sample);
    return sample;
  };
}
