import { isId } from "@holdfast/domain";
import {
  type FormEvent,
  type ReactNode,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useConsole, useContact, useSession } from "../api/console-context.ts";
import { useApprovals } from "../api/operations-queries.ts";
import { useOverview } from "../api/queries.ts";
import type { Session } from "../api/session.ts";
import type { StreamState } from "../live/follow-stream.ts";
import { useLiveState } from "../live/use-live.ts";
import { exactTime, formatCount } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Link, navigate, usePlace } from "./router.tsx";
import { readRoute, tabOf, tabs, taskPath } from "./routes.ts";
import type { ThemeSwitch } from "./theme.ts";
import { useKeys } from "./use-keys.ts";

interface ShellProps {
  readonly theme: ThemeSwitch;
  readonly children: ReactNode;
}

/** What every page has around it: tabs, search, who looks, and whether what is shown is of now. */
export function Shell({ theme, children }: ShellProps) {
  const { status, role } = useSession();
  const isInside = status === "ready";
  const isOperator = isInside && role === "operator";
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
        {isInside && <Tabs role={role} />}
        <div className="top-end">
          {isOperator && <SearchBox />}
          {isOperator && <LiveSign />}
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

/** Others than operators see only what they decide. */
function Tabs({ role }: Pick<Session, "role">) {
  const { path } = usePlace();
  const current = useMemo(() => tabOf(readRoute(path)), [path]);
  return (
    <nav className="tabs" aria-label="Pages">
      {tabs
        .filter(({ page }) => role === "operator" || page === "approvals")
        .map(({ page, title, path: to, key }) => (
          <Link
            key={page}
            to={to}
            title={`g ${key}`}
            aria-current={page === current ? "page" : undefined}
          >
            {title}
            {page === "failures" && <FailureCount />}
            {page === "approvals" && <ApprovalCount role={role} />}
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

/** How many tasks are halted now, beside the tab that shows them. */
function FailureCount() {
  const { data } = useOverview();
  const count = data?.states.halted ?? 0;
  if (count === 0) return null;
  return (
    <span className="tab-count" title={`${formatCount(count)} tasks are halted`}>
      {formatCount(count)}
    </span>
  );
}

/** How many steps wait for a decision: to those who decide, for theirs. */
function ApprovalCount({ role }: Pick<Session, "role">) {
  const { data, hasNextPage } = useApprovals({ mine: role === "principal" ? "true" : undefined });
  const count = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  if (count === 0) return null;
  const words = `${formatCount(count)}${hasNextPage ? "+" : ""}`;
  return (
    <span className="tab-count tab-count-quiet" title={`${words} wait for a decision`}>
      {words}
    </span>
  );
}

/** Finds a task by what one has of it. An id leads to its task, everything else to a list. */
function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  useKeys(useMemo(() => ({ "/": () => box.current?.select() }), []));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const asked = text.trim();
    if (asked === "") return;
    setText("");
    box.current?.blur();
    if (isId(asked.toLowerCase())) navigate(taskPath(asked.toLowerCase()));
    else navigate(`/tasks?${new URLSearchParams({ text: asked })}`);
  };
  return (
    <form className="search" role="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        ref={box}
        value={text}
        maxLength={200}
        aria-label="Find a task by id, correlation id, key or fault code"
        placeholder="Find id, key, fault code …"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <kbd>/</kbd>
    </form>
  );
}

/** Says that the service does not answer, and from when what is shown is. */
function ContactBanner() {
  const { lostSince, lastAnswerAt, reason } = useContact();
  if (lostSince === null) return null;
  return (
    <div className="banner" role="status">
      <Icon name="cut" />
      <strong>Connection lost since {exactTime(lostSince)}</strong>
      <span>
        {lastAnswerAt === null
          ? "Nothing was read yet."
          : `Data is from ${exactTime(lastAnswerAt)}.`}{" "}
        {reason} The console asks again.
      </span>
    </div>
  );
}

const words: Readonly<Record<StreamState["kind"], string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Not live",
  refused: "Polling",
};

/** Whether changes are shown as they happen. */
function LiveSign() {
  const state = useLiveState();
  return (
    <span className={`live live-${state.kind}`} title={explain(state)}>
      <span className="live-dot" aria-hidden="true" />
      {words[state.kind]}
    </span>
  );
}

function explain(state: StreamState): string {
  switch (state.kind) {
    case "connecting":
      return "The console opens the stream of changes.";
    case "live":
      return "Changes are shown as they happen.";
    case "lost":
      return `The stream of changes was lost at ${exactTime(state.since)}. The console opens it again, and asks every few seconds until then.`;
    case "refused":
      return `There is no stream of changes: ${state.reason} The console asks every few seconds.`;
  }
}
