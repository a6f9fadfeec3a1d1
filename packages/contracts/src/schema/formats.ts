import type { Format } from "ajv";

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const last = month === 2 && isLeap(year) ? 29 : days[month - 1];
  return last !== undefined && day >= 1 && day <= last;
}

const timeForm = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;

/** A time of RFC 3339, with its zone. A leap second is the last one of a day of UTC. */
function isTime(text: string): boolean {
  const [form, hour, minute, second, sign, zoneHours = "0", zoneMinutes = "0"] =
    timeForm.exec(text) ?? [];
  if (form === undefined || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return false;
  const isWithin = Number(hour) <= 23 && Number(minute) <= 59;
  if (!isWithin || Number(second) < 60) return isWithin;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  const ofUtc = (Number(hour) * 60 + Number(minute) - zone + 2 * day) % day;
  return Number(second) === 60 && ofUtc === day - 1;
}

/** Minutes. */
const day = 24 * 60;

function isDateTime(text: string): boolean {
  const [date = "", time = "", ...more] = text.split(/t/i);
  return more.length === 0 && isDate(date) && isTime(time);
}

const time = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const date = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const duration = new RegExp(String.raw`^P(?:\d+W|${date}(?:${time})?|${time})$`);

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostname = new RegExp(String.raw`^${label}(?:\.${label})*$`, "i");
const isHostname = (text: string): boolean => text.length <= 253 && hostname.test(text);

const word = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const localPart = new RegExp(
  String.raw`^(?:${word}(?:\.${word})*|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*")$`,
  "i",
);

function isEmail(text: string): boolean {
  if (text.length > 320) return false;
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  return at > 0 && localPart.test(text.slice(0, at)) && (isHostname(domain) || isLiteral(domain));
}

/** The address of a server in the place of its name. */
const isLiteral = (domain: string): boolean => {
  const [, version, address = ""] = /^\[(IPv6:)?([0-9a-f:.]+)\]$/i.exec(domain) ?? [];
  return version === undefined ? isIpv4(address) : isIpv6(address);
};

const byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const ipv4 = new RegExp(String.raw`^${byte}(?:\.${byte}){3}$`);
const isIpv4 = (text: string): boolean => ipv4.test(text);

function isIpv6(text: string): boolean {
  if (text.length > 45 || !/^[0-9a-f:.]+$/i.test(text)) return false;
  const parts = text.split("::");
  const groups = parts.flatMap((part) => (part === "" ? [] : part.split(":")));
  const last = groups.at(-1) ?? "";
  const hasIpv4 = last.includes(".") && text.endsWith(last);
  const others = hasIpv4 ? groups.slice(0, -1) : groups;
  const count = others.length + (hasIpv4 ? 2 : 0);
  return (
    parts.length <= 2 &&
    (!hasIpv4 || isIpv4(last)) &&
    others.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) &&
    (parts.length === 2 ? count <= 7 : count === 8)
  );
}

/** The parts of a reference to a resource (RFC 3986, appendix B), and what each may hold. */
const uriParts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const scheme = /^[a-z][a-z0-9+.-]*$/i;
const inPath = /^(?:[a-z0-9._~:/@!$&'()*+,;=-]|[\u0080-\uffff]|%[0-9a-f]{2})*$/i;
const inQuery = /^(?:[a-z0-9._~:/?@!$&'()*+,;=-]|[\u0080-\uffff]|%[0-9a-f]{2})*$/i;

/** The host and port of an address, with who asks; an IPv6 address is in brackets. */
function isAuthority(authority: string): boolean {
  const [, address] = /^(?:[^@]*@)?\[([^\]]*)\](?::\d*)?$/.exec(authority) ?? [];
  if (address !== undefined) return isIpv6(address) || /^v[0-9a-f]+\./i.test(address);
  const host = /^(?:([^@]*)@)?([^@:]*)(?::\d*)?$/.exec(authority);
  return host !== null && inPath.test(authority);
}

/** Letters of other alphabets are taken, as browsers and libraries take them. */
function isUriReference(text: string): boolean {
  const [whole, name, authority, path = "", query = "", fragment = ""] = uriParts.exec(text) ?? [];
  return (
    whole !== undefined &&
    (name === undefined || scheme.test(name)) &&
    (authority === undefined || isAuthority(authority)) &&
    inPath.test(path) &&
    inQuery.test(query) &&
    inQuery.test(fragment)
  );
}

const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text);

const text = (validate: RegExp | ((value: string) => boolean)): Format =>
  typeof validate === "function" ? { type: "string", validate } : validate;

const whole = (least: number, most: number): Format => ({
  type: "number",
  validate: (value: number) => Number.isInteger(value) && value >= least && value <= most,
});
const signed = (bits: number): Format => whole(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1);
const unsigned = (bits: number): Format => whole(0, 2 ** bits - 1);

const base64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/**
 * The formats that are checked: those of JSON Schema, and those of numbers and bytes of OpenAPI.
 */
export const formats: Readonly<Record<string, Format>> = {
  date: text(isDate),
  time: text(isTime),
  "date-time": text(isDateTime),
  duration: text(duration),
  email: text(isEmail),
  hostname: text(isHostname),
  ipv4: text(isIpv4),
  ipv6: text(isIpv6),
  uri: text(isUri),
  "uri-reference": text(isUriReference),
  uuid: text(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
  "json-pointer": text(/^(?:\/(?:[^~/]|~[01])*)*$/),
  "relative-json-pointer": text(/^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/),
  byte: text(base64),
  base64: text(base64),
  base64url: text(/^[a-z0-9_-]*={0,2}$/i),
  int8: signed(8),
  int16: signed(16),
  int32: signed(32),
  // Payloads have no whole number that is larger than a double keeps.
  int64: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  uint8: unsigned(8),
  uint16: unsigned(16),
  uint32: unsigned(32),
  uint64: whole(0, Number.MAX_SAFE_INTEGER),
};

/** Formats that say how a value is shown or kept, and refuse none. */
export const formatsOfAll: ReadonlySet<string> = new Set(["binary", "double", "float", "password"]);
