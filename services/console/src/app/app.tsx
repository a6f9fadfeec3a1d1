import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Component, type ReactNode, useEffect } from "react";
import { ActionProvider } from "../actions/action-provider.tsx";
import {
  type ConsoleParts,
  ConsoleProvider,
  useConsole,
  useSession,
} from "../api/console-context.ts";
import { Pages } from "./pages.tsx";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import type { ThemeSwitch } from "./theme.ts";

interface AppProps {
  readonly parts: ConsoleParts;
  readonly queries: QueryClient;
  readonly theme: ThemeSwitch;
}

export function App({ parts, queries, theme }: AppProps) {
  return (
    <ConsoleProvider value={parts}>
      <QueryClientProvider client={queries}>
        <ActionProvider>
          <Shell theme={theme}>
            <Inside />
          </Shell>
        </ActionProvider>
      </QueryClientProvider>
    </ConsoleProvider>
  );
}

/** The pages, once the service has let this person in. */
function Inside() {
  const { status, role } = useSession();
  const { live } = useConsole();
  const isLive = status === "ready" && role === "operator";
  useEffect(() => (isLive ? live.start() : undefined), [isLive, live]);
  if (status !== "ready") return <SignIn />;
  return (
    <Boundary>
      <Pages />
    </Boundary>
  );
}

interface Props {
  readonly children: ReactNode;
}

/** Shows what went wrong in place of an empty page. React takes a class for this only. */
class Boundary extends Component<Props, { readonly error: Error | null }> {
  override readonly state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <section className="note note-error" role="alert">
        <h1>The page failed</h1>
        <p>{error.message}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </section>
    );
  }
}
