import { Icon } from "./icon.tsx";
import type { Style } from "./state-styles.ts";

/** A state by colour, sign and word. */
export function Badge({ style, title }: { readonly style: Style; readonly title?: string }) {
  return (
    <span className={`badge tone-${style.tone}`} title={title}>
      <Icon name={style.icon} />
      {style.word}
    </span>
  );
}
