import { lastingEvents } from "./lasting-events.ts";
import type { Open } from "./request.ts";
import type { Change } from "./types.ts";

interface Service {
  readonly open: Open;
  /** Milliseconds for which the service may be unreachable. */
  readonly retryFor: number;
}

/**
 * Which tasks change, and how the system is, for as long as it is read. A connection that is lost is opened again, and goes
 * on where it was. Ends when the service has no room for one more stream, or not for this client.
 */
export async function* followChanges(
  service: Service,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<Change, void> {
  for await (const { event, data } of lastingEvents({ ...service, path: "/v1/events", signal })) {
    if (event === "changed" || event === "tick") yield { event, ...JSON.parse(data) } as Change;
  }
}
