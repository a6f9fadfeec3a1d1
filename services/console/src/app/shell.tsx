import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { useConsole, useSession } from "../api/console-context.ts";
import { ContactBanner } from "../live/contact-banner.tsx";
import { LiveSign } from "../live/live-sign.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureCount } from "./failure-count.tsx";
import { Link, navigate, usePlace } from "./router.tsx";
import { readRoute, tabOf, tabs } from "./routes.ts";
import { SearchBox } from "./search-box.tsx";
import type { ThemeSwitch } from "./theme.ts";
import { useKeys } from "./use-keys.ts";

interface ShellProps {
  readonly theme: ThemeSwitch;
  readonly children: ReactNode;
}

/** What every page has around it: tabs, search, who looks, and whether what is shown is of now. */
export function Shell({ theme, children }: ShellProps) {
  const { status } = useSession();
  const isInside = status === "ready";
  useKeys(tabKeys);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand" aria-label="Holdfast">
          <Icon name="mark" />
          <span>Holdfast</span>
        </Link>
        {isInside && <Tabs />}
        <div className="top-end">
          {isInside && <SearchBox />}
          {isInside && <LiveSign />}
          <Who />
          <ThemeButton theme={theme} />
        </div>
      </header>
      <ContactBanner />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

const tabKeys = Object.fromEntries(tabs.map(({ key, path }) => [`g ${key}`, () => navigate(path)]));

function Tabs() {
  const { path } = usePlace();
  const current = useMemo(() => tabOf(readRoute(path)), [path]);
  return (
    <nav className="tabs" aria-label="Pages">
      {tabs.map(({ page, title, path: to, key }) => (
        <Link
          key={page}
          to={to}
          title={`g ${key}`}
          aria-current={page === current ? "page" : undefined}
        >
          {title}
          {page === "failures" && <FailureCount />}
        </Link>
      ))}
    </nav>
  );
}

function Who() {
  const { session } = useConsole();
  const { actor, token } = useSession();
  if (token === null) return null;
  return (
    <span className="who">
      <span className="who-name" title="Who acts, for the history of tasks">
        {actor}
      </span>
      <button
        type="button"
        className="icon-button"
        title="Forget the token"
        aria-label="Sign out"
        onClick={() => session.signOut()}
      >
        <Icon name="out" />
      </button>
    </span>
  );
}

function ThemeButton({ theme }: { readonly theme: ThemeSwitch }) {
  const current = useSyncExternalStore(theme.subscribe, theme.get);
  const icon = { system: "auto", light: "sun", dark: "moon" } as const;
  return (
    <button
      type="button"
      className="icon-button"
      title={`Theme: ${current}`}
      aria-label={`Theme: ${current}. Change it`}
      onClick={theme.next}
    >
      <Icon name={icon[current]} />
    </button>
  );
}
