import { errorText } from "@holdfast/domain";
import type { FailedAttempt } from "@holdfast/runtime";
import { userOf } from "./user-of.ts";

/** The user of the URL is another one than at the start. */
export class UserChanged extends Error {}

/** What the client says when the broker closes the connection instead of opening the virtual host: not why. */
const vhostRefused = "Expected ConnectionOpenOk; got <ConnectionClose";

/** What an error of the client means for a connection with this URL. */
export function explainFailure(error: unknown, url: string): FailedAttempt {
  const message = errorText(error);
  const user = userOf(url);
  if (error instanceof UserChanged) return { kind: "refused", reason: message, isFinal: true };
  if (/ACCESS[_-]REFUSED/.test(message)) {
    return { kind: "refused", reason: `login refused for user ${user}` };
  }
  if (message.startsWith(vhostRefused)) {
    return { kind: "refused", reason: `virtual host ${vhostOf(url)} refused for user ${user}` };
  }
  return { kind: "away", reason: message };
}

const vhostOf = (url: string): string =>
  decodeURIComponent(/^[a-z]+:\/\/[^/?#]*\/([^?#]*)/i.exec(url)?.[1] ?? "") || "/";
