/** A map that keeps entries of so many bytes together; beyond that, those that came first leave. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  /** Keeps the entry in any case, however large it is. */
  set(key: Key, value: Value, bytes: number): void;
}

export function boundedMap<Key, Value>(mostBytes: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, { readonly value: Value; readonly bytes: number }>();
  let kept = 0;
  const remove = (key: Key): void => {
    kept -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key);
      for (const oldest of entries.keys()) {
        if (kept + bytes <= mostBytes) break;
        remove(oldest);
      }
      entries.set(key, { value, bytes });
      kept += bytes;
    },
  };
}
