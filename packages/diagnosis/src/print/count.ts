/** "1 task", "2 tasks". */
export const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;
