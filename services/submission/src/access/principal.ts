/** Who sends a request, as its key or its token proves it. */
export interface Principal {
  /** What is stored and compared, such as an address of e-mail. */
  readonly id: string;
  /** The name for people. */
  readonly name: string;
  readonly kind: "key" | "token";
  /** The audiences for which it decides; `*`: all. */
  readonly approves: ReadonlySet<string> | "*";
}

/** Whether a principal decides for an audience. */
export const isOfAudience = ({ approves }: Pick<Principal, "approves">, audience: string) =>
  approves === "*" || approves.has(audience);

/** The audiences that the access file names, as a principal has them. */
export const audiencesOf = (approves: readonly string[]): Principal["approves"] =>
  approves.includes("*") ? "*" : new Set(approves);

/**
 * Whether a text can be the id of a principal: the store keeps such ids beside the names of
 * applications, users of the broker, operators and schedules, which begin with these words.
 */
export const isPrincipalId = (text: string): boolean =>
  text !== "" &&
  text.length <= longestId &&
  !/^(application|broker|operator|schedule):/.test(text) &&
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u001f\u007f-\u009f]/.test(text) &&
  text.isWellFormed() &&
  text === text.trim();

/** Characters of an id, and of a name. */
export const longestId = 200;
