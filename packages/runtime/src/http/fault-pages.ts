import type { IncomingMessage, ServerResponse } from "node:http";
import { type CataloguedCode, findFaultCode } from "@holdfast/domain";

const folder = "/docs/faults/";

/**
 * The path of the page about a code, which every server of ours has; null: the catalogue does not
 * have the code.
 */
export function faultPagePath(code: string): string | null {
  const found = findFaultCode(code);
  return found === null ? null : `${folder}${found.code}`;
}

/**
 * Answers a request for the page about a code. Returns false if the request is for something else.
 */
export function serveFaultPage(
  { method, url }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (url?.startsWith(folder) !== true || (method !== "GET" && method !== "HEAD")) return false;
  const found = findFaultCode(url.slice(folder.length).replace(/[?#].*$/s, ""));
  if (found === null) return false;
  const page = pageOf(found);
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "content-security-policy": policy,
  });
  response.end(method === "HEAD" ? undefined : page);
  return true;
}

/** The page has text, and loads nothing. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageOf = ({ code, transient, meaning, action }: CataloguedCode): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>${code}</title>
<h1><code>${code}</code></h1>
<p>${html(meaning)}</p>
<h2>What to do</h2>
<p>${html(action)}</p>
${transient === null ? "" : `<p>${transient ? again : inVain}</p>`}
</html>
`;

const again = "Doing the same again can help.";
const inVain = "Doing the same again does not help before that.";

/** A text of the catalogue, with its code in back-ticks. */
const html = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>");
