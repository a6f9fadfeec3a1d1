import { isId } from "@holdfast/domain";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { navigate } from "./router.tsx";
import { taskPath } from "./routes.ts";
import { useKeys } from "./use-keys.ts";

/** Finds a task by what one has of it. An id leads to its task, everything else to a list. */
export function SearchBox() {
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
