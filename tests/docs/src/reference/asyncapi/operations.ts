const channel = (id: string) => ({ $ref: `#/channels/${id}` });
const message = (id: string, name: string) => ({ $ref: `#/channels/${id}/messages/${name}` });
const amqp = (binding: object) => ({ amqp: { ...binding, bindingVersion: "0.3.0" } });

/** Persistent, and returned when no queue takes it. */
const stored = amqp({ deliveryMode: 2, mandatory: true });
const agent = [{ name: "agent", description: "What an Agent does." }];
const application = [{ name: "application", description: "What an application does." }];

/**
 * What programs outside Holdfast do: an Agent, and an application that submits tasks or listens.
 */
export const operations = {
  performStep: {
    action: "receive",
    title: "Perform a step",
    description:
      "Take requests whose `user_id` is a Scheduler's. Work no longer than `workMs`, counted from receipt. Publish the reply with confirm, then acknowledge the request. After `workMs`, acknowledge and say nothing. Reject what you cannot read, without requeueing it.",
    channel: channel("agent.agent"),
    messages: [message("agent.agent", "step.request.v1")],
    tags: agent,
    bindings: amqp({ ack: true }),
    reply: {
      channel: channel("holdfast.replies"),
      messages: [message("holdfast.replies", "step.reply.v1")],
    },
  },
  reply: {
    action: "send",
    title: "Reply",
    description:
      "`taskId`, `step`, `attempt` and `token` as they came, and what became of the attempt. `user_id` is the user of the connection. When the broker returns it, publish it again with the word `reply`.",
    channel: channel("holdfast.replies"),
    messages: [message("holdfast.replies", "step.reply.v1")],
    tags: agent,
    bindings: stored,
  },
  beat: {
    action: "send",
    title: "Say how you are",
    description: "Every second, not persistent.",
    channel: channel("holdfast.heartbeats"),
    messages: [message("holdfast.heartbeats", "agent.heartbeat.v1")],
    tags: agent,
    bindings: amqp({ deliveryMode: 1 }),
  },
  stop: {
    action: "receive",
    title: "Stop an attempt",
    description:
      "Through a queue of each process's own, bound to the exchange. A hint: stop the attempt if it runs here with this token, and reply `stopped`; or finish it.",
    channel: channel("holdfast.cancel"),
    messages: [message("holdfast.cancel", "step.cancel.v1")],
    tags: agent,
  },
  submit: {
    action: "send",
    title: "Submit a task",
    channel: channel("holdfast.submissions"),
    messages: [message("holdfast.submissions", "task.submission")],
    tags: application,
    bindings: stored,
  },
  signal: {
    action: "send",
    title: "Send a signal to a task",
    description:
      "There is no answer to a signal that is accepted. One that is refused is answered in the queue that `reply_to` names, and becomes a dead letter.",
    channel: channel("holdfast.signals"),
    messages: [message("holdfast.signals", "task.signal.v1")],
    tags: application,
    bindings: stored,
  },
  followTask: {
    action: "receive",
    title: "Follow a task of yours",
    channel: channel("status.submitter"),
    messages: [
      message("status.submitter", "task.status.v1"),
      message("status.submitter", "task.refused.v1"),
      message("status.submitter", "signal.refused.v1"),
    ],
    tags: application,
    bindings: amqp({ ack: true }),
  },
  followEvents: {
    action: "receive",
    title: "Follow all tasks, approvals, schedules and alerts",
    channel: channel("holdfast.events"),
    messages: [
      message("holdfast.events", "holdfast.task"),
      message("holdfast.events", "holdfast.task.alert.v1"),
      message("holdfast.events", "holdfast.approval"),
      message("holdfast.events", "holdfast.schedule"),
    ],
    tags: application,
  },
};
