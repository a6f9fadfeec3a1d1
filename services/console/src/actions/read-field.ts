import type { ActionField } from "./action.ts";

interface ReadField {
  /** The value; undefined: nothing was given. */
  readonly value: unknown;
  readonly fault: string | null;
}

/** Reads the JSON of a field, or says what is wrong with it. */
export function readField(field: ActionField | null, text: string): ReadField {
  if (field === null) return { value: undefined, fault: null };
  if (text.trim() === "") {
    return { value: undefined, fault: field.isRequired ? "Give JSON, such as {} or null." : null };
  }
  try {
    return { value: JSON.parse(text), fault: null };
  } catch (error) {
    return { value: undefined, fault: `This is not JSON: ${(error as Error).message}` };
  }
}
