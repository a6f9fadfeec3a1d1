import { type ComponentType, lazy } from "react";

interface Waits {
  readonly wait?: (ms: number) => Promise<void>;
}

/** Milliseconds before each further try: half a minute together. */
const rests = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Loads a part of the page, again and again while the connection is cut. Rejects once that has
 * lasted.
 */
export async function loadPersistently<Part>(
  load: () => Promise<Part>,
  { wait = waitFor }: Waits = {},
): Promise<Part> {
  for (const rest of rests) {
    try {
      return await load();
    } catch {
      await wait(rest);
    }
  }
  return load();
}

/** A page that is loaded when it is first shown, or before by `preload`. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): { readonly Page: ComponentType<Props>; readonly preload: () => void } {
  let loading: Promise<{ default: ComponentType<Props> }> | null = null;
  const start = () => {
    loading ??= loadPersistently(async () => ({ default: await load() }));
    // One that failed is tried anew the next time that it is wanted.
    loading.catch(() => void (loading = null));
    return loading;
  };
  return { Page: lazy(start), preload: () => void start() };
}
