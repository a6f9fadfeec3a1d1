import type { AnonymousPermission } from "./access.ts";

/**
 * Whether a user of the broker may have statuses sent to a queue. Undefined: the message names no
 * user.
 */
export type OwnsStatusQueue = (user: string | undefined, queue: string) => boolean;

const pair = "[\\w.-]{1,100}=([\\w-]{1,100}|\\*)";
/** What `STATUS_WORDS` can be: the word of each user, or `*` for all status queues. */
export const statusWordsPattern = `^${pair}(,${pair})*$`;

/**
 * The owners of status queues, as the rights of the broker have them: `status.<word>` and all below
 * it. Holdfast writes to these queues with rights of its own, so it must ask for those of the
 * sender.
 */
export function statusQueueOwners(
  setting: string,
  anonymousMay: ReadonlySet<AnonymousPermission>,
): OwnsStatusQueue {
  const words = new Map(setting.split(",").map((one) => one.split("=") as [string, string]));
  return (user, queue) => {
    if (anonymousMay.has("reply-to")) return true;
    if (user === undefined) return false;
    const word = words.get(user) ?? user;
    const own = `status.${word}`;
    return word === "*" || queue === own || queue.startsWith(`${own}.`);
  };
}
