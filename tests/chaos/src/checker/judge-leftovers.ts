import type { IndexedEvidence } from "./indexed-evidence.ts";
import type { Violation } from "./violation.ts";

/** I14 and I18: the queues are empty, and what was set aside is where a person looks. */
export function judgeLeftovers(book: IndexedEvidence): readonly Violation[] {
  return [...fullQueues(book), ...unexplainedLetters(book), ...wrongAlerts(book)];
}

const fullQueues = ({ queues }: IndexedEvidence): readonly Violation[] =>
  queues
    .filter(({ messages }) => messages > 0)
    .map(({ queue, messages }): Violation => {
      return { invariant: "I14", taskId: null, what: `${messages} messages are left in ${queue}` };
    });

function unexplainedLetters({ deadLetters, poison }: IndexedEvidence): readonly Violation[] {
  const expected = new Set(poison);
  return deadLetters
    .filter(({ messageId }) => messageId === null || !expected.has(messageOf(messageId)))
    .map(({ queue, messageId }): Violation => {
      return { invariant: "I14", taskId: null, what: `${messageId} died in ${queue}` };
    });
}

/** The deliveries of a bundle are named after their message, with a number. */
const messageOf = (messageId: string): string => messageId.split(" ")[0] ?? "";

function wrongAlerts({ events, alerts }: IndexedEvidence): readonly Violation[] {
  const halts = countBy(
    events.filter(({ step, to }) => step === null && to === "halted").map(({ taskId }) => taskId),
  );
  const told = countBy(alerts.map(({ taskId }) => taskId));
  return [...new Set([...halts.keys(), ...told.keys()])]
    .filter((taskId) => halts.get(taskId) !== told.get(taskId))
    .map((taskId): Violation => {
      const what = `${told.get(taskId) ?? 0} alerts for ${halts.get(taskId) ?? 0} halts`;
      return { invariant: "I18", taskId, what };
    });
}

const countBy = (ids: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
