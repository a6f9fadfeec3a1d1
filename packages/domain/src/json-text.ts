import type { Json } from "./json.ts";

/** A JSON pointer (RFC 6901) to a value that cannot be taken as it is, and why. */
export interface ValueFault {
  readonly pointer: string;
  readonly detail: string;
}

/** Means that a text is JSON, and that the value read from it says something else. */
export class ChangedJson extends SyntaxError {
  override readonly name = "ChangedJson";
  // No fields: logs have those of errors.
  readonly #faults: readonly ValueFault[];
  readonly #json: Json;

  constructor(faults: readonly ValueFault[], json: Json) {
    super(faults.map(sentenceOf).slice(0, 1).join() || "The text is not kept as it is");
    this.#faults = faults;
    this.#json = json;
  }

  get faults(): readonly ValueFault[] {
    return this.#faults;
  }

  /** What was read all the same. */
  get json(): Json {
    return this.#json;
  }
}

const sentenceOf = ({ pointer, detail }: ValueFault): string =>
  `${pointer === "" ? "The value" : pointer} ${detail}`;

/**
 * Reads JSON that comes back as it was written: with or without a byte order mark. Throws a
 * `SyntaxError` for a text that is no JSON, and its kind `ChangedJson` for one whose numbers or
 * fields would not be kept.
 */
export function parseJsonText(text: string): Json {
  const json = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as Json;
  const faults = changesIn(text);
  if (faults.length > 0) throw new ChangedJson(faults, json);
  return json;
}

/** Changes that are listed of one text: who has made more, has made them alike. */
const mostChanges = 50;

const numberStart = "-0123456789";

/** A list or an object around what is read. */
interface Around {
  /** The names of the fields so far; null: it is a list. */
  readonly names: Set<string> | null;
  /** The name of the field, or the index of the element, that is read. */
  key: string | number;
  /** The next text is a name. */
  isAtName: boolean;
}

/**
 * Finds what a text of JSON says, and what its value does not: numbers that are not kept to the
 * digit, and fields that stand in one object twice. The text has to be JSON.
 */
export function changesIn(text: string): readonly ValueFault[] {
  const found: ValueFault[] = [];
  const open: Around[] = [];
  const find = (detail: string): void =>
    void found.push({
      pointer: open.map(({ key }) => `/${pointerPart(`${key}`)}`).join(""),
      detail,
    });
  for (let at = 0; at < text.length && found.length < mostChanges; at += 1) {
    const around = open.at(-1);
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at);
        if (around?.isAtName === true && readName(around, text.slice(at, end + 1))) find(twice);
        at = end;
        break;
      }
      case "{":
        open.push({ names: new Set(), key: "", isAtName: true });
        break;
      case "[":
        open.push({ names: null, key: 0, isAtName: false });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (around?.names === null) around.key = Number(around.key) + 1;
        else if (around !== undefined) around.isAtName = true;
        break;
      default:
        if (numberStart.includes(text[at] as string)) {
          const end = endOfNumber(text, at);
          const number = text.slice(at, end);
          if (!keepsNumber(number)) find(changed(number));
          at = end - 1;
        }
    }
  }
  return found;
}

/** Reads the name of a field; whether the object has one of that name already. */
function readName(around: Around, quoted: string): boolean {
  const name = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  const isThere = around.names?.has(name) ?? false;
  around.names?.add(name);
  around.key = name;
  around.isAtName = false;
  return isThere;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && "0123456789.eE+-".includes(text[at] as string)) at += 1;
  return at;
}

const twice = "has two values: an object has each field once";

function changed(number: string): string {
  const kept = Number(number);
  if (kept === 0) return "has a number too small to be kept: write it as a text";
  return Number.isFinite(kept) && /[.eE]/.test(number)
    ? "has a number of more digits than are kept: write it as a text"
    : "has a number too large to be exact: write it as a text";
}

/**
 * Whether a number of JSON is the same number when it has been read and written again: numbers are
 * IEEE 754 doubles, here and in most languages. How it is written is another matter: 100.00 is 100,
 * and -0 is 0.
 */
export function keepsNumber(text: string): boolean {
  const number = Number(text);
  const written = String(number);
  // Most numbers stand there as they are written.
  return written === text || (Number.isFinite(number) && decimalOf(text) === decimalOf(written));
}

/**
 * The digits of a number without zeros at either end, and the power of ten before which the first
 * one stands.
 */
function decimalOf(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return "0";
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`;
}

/** One key as a part of a pointer. */
export const pointerPart = (key: string): string =>
  /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

/** Returns the same text for the same JSON: the order of keys means nothing. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
