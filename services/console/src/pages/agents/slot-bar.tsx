import { formatCount } from "../../parts/format.ts";

/** How many slots are used. */
export function SlotBar({ used, all }: { readonly used: number; readonly all: number }) {
  const share = all <= 0 ? 0 : Math.min(used / all, 1);
  return (
    <span className="slots">
      <svg className="slots-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="slots-all" width={100} height={8} />
        <rect className={share >= 1 ? "slots-full" : "slots-used"} width={share * 100} height={8} />
      </svg>
      {formatCount(used)} / {formatCount(all)}
    </span>
  );
}
