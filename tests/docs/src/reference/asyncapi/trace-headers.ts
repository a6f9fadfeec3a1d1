const traceparent = {
  type: "string",
  pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
  description:
    "W3C Trace Context: where in the trace of its task the message belongs. Only with traces on.",
};
const tracestate = {
  type: "string",
  maxLength: 512,
  description: "W3C Trace Context: what vendors add.",
};

/** The headers that say which trace a message belongs to. All are optional, and a reader may ignore them. */
export const traceHeaders = {
  type: "object",
  properties: {
    traceparent,
    tracestate,
    traceparents: {
      type: "string",
      maxLength: 65_536,
      description:
        "Of a message of several: the `traceparent` of each, one a line in their order, with its `tracestate` after a space. The line of one without a trace is empty.",
    },
  },
};

/** The messages that have them. */
export const tracedMessages: ReadonlySet<string> = new Set([
  "step.request.v1",
  "step.reply.v1",
  "task.status.v1",
  "task.submission",
  "holdfast.task",
  "holdfast.task.alert.v1",
]);
