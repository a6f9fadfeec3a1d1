/**
 * Characters that command a terminal, or that show a text otherwise than it is: C0 and C1 without tab and line break,
 * and the marks of Unicode that turn the direction of a text. The inside of a character class.
 */
export const controlCharacters =
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069";

/** A character of a text for people: it can be stored, and commands no terminal. No half of a character. */
export const readableCharacter = `[^${controlCharacters}\\ud800-\\udfff]`;
/** A character of a name, which is one line as well: it becomes part of keys, routes and log lines. */
export const printableCharacter = `[^${controlCharacters}\\t\\n\\ud800-\\udfff]`;

const control = new RegExp(`[${controlCharacters}]`, "g");

/**
 * A text that commands no terminal: each control character is written as JSON writes it, such as `\u001b`. A document
 * of JSON still means the same: it can have such characters in its strings only.
 */
export const terminalText = (text: string): string =>
  text.replace(control, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
