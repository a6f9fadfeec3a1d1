import { QueryClient } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { openApi } from "../api/api.ts";
import { openContactLog } from "../api/contact.ts";
import { isOutage } from "../api/faults.ts";
import { openSession } from "../api/session.ts";
import { openTicker } from "../api/ticker.ts";
import { openLive } from "../live/open-live.ts";
import { App } from "./app.tsx";
import { openTheme } from "./theme.ts";

const theme = openTheme();
const session = openSession(sessionStorage, location.hash);
// A token stays in no address and in no history.
if (session.get().offered !== null) history.replaceState(null, "", location.pathname);
const contact = openContactLog();
const api = openApi({ session, contact, fetch: (...request) => fetch(...request) });
const live = openLive(api);
const ticker = openTicker(contact);
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      // What is shown stays, with a banner that says from when it is, and is asked for until it is
      // there again.
      retry: (_, error) => isOutage(error),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root.");
createRoot(root).render(
  <App parts={{ api, session, contact, live, ticker }} queries={queries} theme={theme} />,
);
