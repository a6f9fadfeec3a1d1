import { ChangedJson } from "@holdfast/domain/json-text";

/** What is wrong with a text that is to be JSON, for people. */
export const jsonFault = (error: unknown): string =>
  error instanceof ChangedJson
    ? `${error.message}.`
    : `This is not JSON: ${(error as Error).message}`;
