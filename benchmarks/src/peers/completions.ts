/** Who waits for which order. Reports of all other orders are ignored. */
export interface Completions {
  /** Resolves when the order is reported. Ask before it can be. */
  of(id: string): Promise<void>;
  report(id: string): void;
}

export function completions(): Completions {
  const waiting = new Map<string, () => void>();
  return {
    of: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    report(id) {
      waiting.get(id)?.();
      waiting.delete(id);
    },
  };
}
