/** Moves the focus to the next or the previous group. */
export function moveBetweenGroups(by: 1 | -1): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".group-head")];
  const current = heads.findIndex(
    (head) => head.parentElement?.contains(document.activeElement) === true,
  );
  const next = current === -1 ? (by === 1 ? 0 : heads.length - 1) : current + by;
  heads[Math.max(0, Math.min(heads.length - 1, next))]?.focus();
}
