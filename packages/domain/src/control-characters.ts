/**
 * Characters that command a terminal, or that show a text otherwise than it is: C0 and C1 without
 * tab and line break, and the marks of Unicode that turn the direction of a text. The inside of a
 * character class.
 */
export const controlCharacters =
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069";

/**
 * A character of a text for people: it can be stored, and commands no terminal. No half of a
 * character.
 */
const readableCharacter = `[^${controlCharacters}\\ud800-\\udfff]`;
/**
 * A character of a name, which is one line as well: it becomes part of keys, routes and log lines.
 */
const printableCharacter = `[^${controlCharacters}\\t\\n\\ud800-\\udfff]`;

/** The pattern of a text for people, and that of a name. */
export const readablePattern = `^${readableCharacter}*$`;
export const printablePattern = `^${printableCharacter}*$`;

const printable = new RegExp(printablePattern, "u");
/** A character of two halves. */
const pair = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Whether a value is a name of 1 to so many characters. */
export const isPrintable = (value: unknown, longest: number): value is string =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= 2 * longest &&
  value.replaceAll(pair, "x").length <= longest &&
  printable.test(value);

const control = new RegExp(`[${controlCharacters}]`, "g");

/**
 * A text that commands no terminal: each control character is written as JSON writes it, such as
 * `\u001b`. A document of JSON still means the same: it can have such characters in its strings
 * only.
 */
export const terminalText = (text: string): string =>
  text.replace(control, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
