/** The pattern of ids of tasks and of tokens: UUIDs in lower case. */
export const idPattern = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

const grammar = new RegExp(idPattern);

/** Whether a text is an id. */
export const isId = (text: string): boolean => grammar.test(text);

/** The id of these 32 hexadecimal digits. */
export const idOfDigits = (digits: string): string =>
  digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
