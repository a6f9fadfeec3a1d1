/**
 * A list of texts, numbers and the like as Postgres reads it. The driver writes lists, too, but makes several texts of
 * each value on the way. What is no such list is for the driver.
 */
export function listText(value: unknown): unknown {
  if (!Array.isArray(value) || value.some(isObject)) return value;
  return `{${value.map((item) => (typeof item === "string" ? quoted(item) : (item ?? "NULL"))).join(",")}}`;
}

const isObject = (item: unknown): boolean => typeof item === "object" && item !== null;

const special = /["\\]/;
const quoted = (text: string): string =>
  `"${special.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
