import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from "react";
import { base } from "./routes.ts";

/**
 * The place of the page: a path below the base, and its query. The URL is the only place where it
 * is kept.
 */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const moved = "holdfast:moved";

const subscribe = (listener: () => void): (() => void) => {
  globalThis.addEventListener("popstate", listener);
  globalThis.addEventListener(moved, listener);
  return () => {
    globalThis.removeEventListener("popstate", listener);
    globalThis.removeEventListener(moved, listener);
  };
};
const urlNow = (): string => location.pathname + location.search;

/** The place of now; renders again when it changes. */
export function usePlace(): Place {
  const url = useSyncExternalStore(subscribe, urlNow);
  return useMemo(() => {
    const { pathname, searchParams } = new URL(url, location.origin);
    return { path: pathname.slice(base.length) || "/", query: searchParams };
  }, [url]);
}

/**
 * Goes to a path below the base. `replace` leaves no entry for the way back, as for each letter of
 * a search.
 */
export function navigate(
  path: string,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  const url = base + path;
  if (url === urlNow()) return;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  globalThis.dispatchEvent(new Event(moved));
  if (!replace) scrollTo(0, 0);
}

/** Changes parts of the query; null removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | null>>,
  options?: { readonly replace?: boolean },
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(
    (location.pathname.slice(base.length) || "/") + (text === "" ? "" : `?${text}`),
    options,
  );
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** A path below the base. */
  readonly to: string;
}

/** A link within the console: a new tab and a copied address work as with any other. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!isPlain || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={base + to} onClick={follow} />;
}
