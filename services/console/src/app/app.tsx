import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { ActionProvider } from "../actions/action-provider.tsx";
import {
  type ConsoleParts,
  ConsoleProvider,
  useConsole,
  useSession,
} from "../api/console-context.ts";
import { Boundary } from "./boundary.tsx";
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
  const { status } = useSession();
  const { live } = useConsole();
  useEffect(() => (status === "ready" ? live.start() : undefined), [status, live]);
  if (status !== "ready") return <SignIn />;
  return (
    <Boundary>
      <Pages />
    </Boundary>
  );
}
