import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { configureAgents, host, type StepContext } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const input = z.object({ order: z.string() });
const studio = defineAgent("studio", {
  render: { input, output: z.object({ frames: z.int() }) },
  hang: { input, output: z.null() },
});

const retry = { failures: 5, backoff: "100ms", max: "200ms" } as const;

/** Its handler never ends, the first time. */
export const hanging = defineWorkflow("hanging.v1", input, ({ order }, step) => {
  step("hang", { call: studio.hang({ order }), startWithin: "2m", completeWithin: "3s", retry });
}).definition;

/**
 * Its handler takes longer than an attempt may last without heartbeats, and longer than a broker
 * would wait.
 */
export const rendering = defineWorkflow("rendering.v1", input, ({ order }, step) => {
  step("render", {
    call: studio.render({ order }),
    completeWithin: "2s",
    extendUpTo: "1h",
    retry,
  });
}).definition;

const frames = 25;

/** What AGENT_MODULES loads. Each attempt is a line in a file. */
export const agents = configureAgents(Type.Object({ LEDGER: Type.String() }), ({ LEDGER }) => {
  const note = ({ step, attempt }: StepContext) =>
    appendFile(LEDGER, `${step} ${attempt} ${process.pid}\n`);
  return [
    host(studio, {
      async render(_order, context) {
        await note(context);
        for (let frame = 1; frame <= frames; frame += 1) {
          context.progress({ percent: (100 * frame) / frames, note: `frame ${frame}` });
          await sleep(200, undefined, { signal: context.signal });
        }
        return { frames };
      },
      async hang(_order, context) {
        await note(context);
        // Not even its signal stops it.
        if (context.attempt === 1) await new Promise(() => {});
        return null;
      },
    }),
  ];
});
