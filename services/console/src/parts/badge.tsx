import { Icon } from "./icon.tsx";
import type { Look } from "./state-looks.ts";

/** A state by colour, sign and word. */
export function Badge({ look, title }: { readonly look: Look; readonly title?: string }) {
  return (
    <span className={`badge tone-${look.tone}`} title={title}>
      <Icon name={look.icon} />
      {look.word}
    </span>
  );
}
