/** The user that a broker's URL names. Without one the client connects as guest. */
export const userOf = (url: string): string => decodeURIComponent(new URL(url).username) || "guest";
