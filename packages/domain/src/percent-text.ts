/**
 * Decodes a part of a URL or of a reference, in which `%20` stands for a blank; null: a `%` in it
 * begins no byte, or the bytes are no UTF-8. The only place that decodes one: JavaScript's own
 * function throws an error that names neither.
 */
export function decodePercents(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
