/**
 * Says what an error says, and never nothing. Node leaves the message of an error empty that stands
 * for several, such as for each address of a host that could not be reached.
 */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, errors } = error as ErrorFields;
  if (typeof message === "string" && message !== "") return message;
  if (!Array.isArray(errors) || errors.length === 0) return textOfOne(error);
  return errors.map(textOfOne).join("; ");
}

/** The text of an error by itself: one that stands for others may stand for itself as well. */
function textOfOne(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, code, name } = error as ErrorFields;
  if (typeof message === "string" && message !== "") return message;
  return String(code ?? name ?? "an error without a text");
}

interface ErrorFields {
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly code?: string | number;
  readonly name?: string;
}
