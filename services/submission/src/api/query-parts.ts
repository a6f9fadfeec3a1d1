/** A whole number of Postgres, as a text of a path or a query. */
export const rowNumber = { maxLength: 18, pattern: "^[0-9]{1,18}$" };

const grammar = new RegExp(rowNumber.pattern);

/** Whether a text is a whole number of Postgres. */
export const isRowNumber = (text: string): boolean => grammar.test(text);
