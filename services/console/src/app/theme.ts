import { observable } from "../api/observable.ts";

export type Theme = "system" | "light" | "dark";

const key = "holdfast.theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

const isTheme = (value: unknown): value is Theme => themes.includes(value as Theme);

/** The theme of this browser: kept, and shown by an attribute that the styles read. */
export function openTheme() {
  const stored = localStorage.getItem(key);
  const theme = observable<Theme>(isTheme(stored) ? stored : "system");
  const show = () => {
    const { dataset } = document.documentElement;
    if (theme.get() === "system") delete dataset["theme"];
    else dataset["theme"] = theme.get();
  };
  show();
  return {
    get: theme.get,
    subscribe: theme.subscribe,
    next: (): void => {
      const next = themes[(themes.indexOf(theme.get()) + 1) % themes.length] ?? "system";
      localStorage.setItem(key, next);
      theme.set(next);
      show();
    },
  };
}
export type ThemeSwitch = ReturnType<typeof openTheme>;
