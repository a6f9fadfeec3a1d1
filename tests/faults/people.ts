import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOfKey, makeKey } from "@holdfast/runtime";

/** What one of the audience says about a step. */
export interface Said {
  readonly decision: "approve" | "reject";
  readonly reason?: string;
}

/** People who decide, as services of submission know them by the file of `env`. */
export interface People {
  readonly env: { readonly ACCESS_FILE: string };
  /** Sends a decision once. Resolves to the status of the answer; null: there was none. */
  decide(
    url: string,
    who: string,
    of: { readonly taskId: string; readonly step: string },
    said: Said,
  ): Promise<number | null>;
}

/** Milliseconds. A process that is killed answers nothing. */
const answerWithin = 10_000;

/** People with keys of their own, each with the audiences for which they decide. */
export async function peopleIn(
  folder: string,
  audiences: Readonly<Record<string, readonly string[]>>,
): Promise<People> {
  const keys = new Map(Object.keys(audiences).map((id) => [id, makeKey()] as const));
  const principals = [...keys].map(([id, key]) => ({
    id,
    keys: [digestOfKey(key)],
    approves: audiences[id],
  }));
  const path = join(folder, "access.json");
  await writeFile(path, JSON.stringify({ principals }));
  return {
    env: { ACCESS_FILE: path },
    async decide(url, who, { taskId, step }, said) {
      const headers = {
        authorization: `Bearer ${keys.get(who)}`,
        "content-type": "application/json",
      };
      try {
        const answer = await fetch(`${url}/v1/tasks/${taskId}/steps/${step}/decision`, {
          method: "POST",
          headers,
          body: JSON.stringify(said),
          signal: AbortSignal.timeout(answerWithin),
        });
        await answer.arrayBuffer();
        return answer.status;
      } catch {
        return null;
      }
    },
  };
}
