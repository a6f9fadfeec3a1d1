import { createHash, randomBytes } from "node:crypto";

/** The form of a key: `hfk_`, by which scanners of secrets know it, and 256 random bits. */
const key = /^hfk_[A-Za-z0-9_-]{43}$/;

/** Makes the key of a principal: what it shows as `Authorization: Bearer …`. */
export const makeKey = (): string => `hfk_${randomBytes(32).toString("base64url")}`;

/** Whether a text has the form of a key. */
export const isKey = (text: string): boolean => key.test(text);

/** The form of a digest, as a pattern of JSON Schema. */
export const keyDigestPattern = "^sha256:[0-9a-f]{64}$";

/**
 * The digest of a key, as the access file names it: `sha256:` and 64 hexadecimal digits. The key
 * has 256 random bits, so that no slow hash is needed.
 */
export const digestOfKey = (shown: string): string =>
  `sha256:${createHash("sha256").update(shown).digest("hex")}`;
