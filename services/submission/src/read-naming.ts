import { type Instant, printableCharacter } from "@holdfast/domain";
import type { Labels } from "@holdfast/state-store";
import { Problem } from "./problem.ts";

/** What a submission calls its task, and when it is to begin, as it came: in a body, or in headers. */
export interface AskedNaming {
  readonly key?: unknown;
  /** An object, or in headers a text such as `region=eu,guest=ada`, its parts encoded as in a URL. */
  readonly labels?: unknown;
  readonly notBefore?: unknown;
}

/** What may be said. The SQL function `state.naming_fault` says the same. */
export const namingLimits = { labels: 16, value: 200, days: 366 } as const;
export const labelNamePattern = "^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$";
export const labelValuePattern = `^${printableCharacter}*$`;

const day = 24 * 60 * 60 * 1_000;
const visible = /^[\x21-\x7e]{1,255}$/;
const labelName = new RegExp(labelNamePattern);
const labelValue = new RegExp(labelValuePattern, "u");

/** The business key of a task, its labels and when it begins. Throws a `Problem` that says what is allowed. */
export const readNaming = ({ key, labels, notBefore }: AskedNaming) => ({
  key: readKey(key ?? null),
  labels: readLabels(labels ?? null),
  notBefore: readNotBefore(notBefore ?? null),
});

const invalid = (detail: string, pointer: string) =>
  new Problem(422, "request.invalid", "The request is not complete or not right.", [
    { pointer, detail },
  ]);

function readKey(key: unknown): string | null {
  if (key === null || (typeof key === "string" && visible.test(key))) return key;
  throw invalid("must be 1 to 255 visible ASCII characters", "/key");
}

function readLabels(asked: unknown): Labels | null {
  if (asked === null) return null;
  const labels: unknown = typeof asked === "string" ? fromHeader(asked) : asked;
  if (typeof labels !== "object" || labels === null || Array.isArray(labels)) {
    throw invalid("must be an object of texts", "/labels");
  }
  const pairs = Object.entries(labels as Record<string, unknown>);
  if (pairs.length > namingLimits.labels) {
    throw invalid(`must be at most ${namingLimits.labels} labels`, "/labels");
  }
  return Object.fromEntries(pairs.map(([name, value]) => [nameOf(name), valueOf(value, name)]));
}

function nameOf(name: string): string {
  if (labelName.test(name)) return name;
  throw invalid(
    "must have names of up to 63 letters, digits and _ . / -, that begin with a letter or digit",
    "/labels",
  );
}

function valueOf(value: unknown, name: string): string {
  const isText = typeof value === "string" && value !== "" && labelValue.test(value);
  if (isText && Array.from(value).length <= namingLimits.value) return value;
  throw invalid(
    `must be a text of 1 to ${namingLimits.value} characters without control characters`,
    `/labels/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
  );
}

function fromHeader(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").map((pair) => pair.trim().split("="));
  try {
    return Object.fromEntries(
      pairs.map(([name = "", ...value]) => [
        decodeURIComponent(name),
        decodeURIComponent(value.join("=")),
      ]),
    );
  } catch {
    throw invalid("must be pairs such as region=eu,guest=ada, encoded as in a URL", "/labels");
  }
}

function readNotBefore(asked: unknown): Instant | null {
  if (asked === null) return null;
  const isInstant =
    typeof asked === "string" && /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(asked);
  const at = isInstant ? Date.parse(asked) : Number.NaN;
  if (Number.isNaN(at)) {
    throw invalid("must be an instant with its zone: 2026-11-24T10:00:00Z", "/notBefore");
  }
  if (at <= Date.now() + namingLimits.days * day) return at;
  throw invalid(`must be within ${namingLimits.days} days`, "/notBefore");
}
