/** Lines on a square of 16: drawn, because fonts differ in the signs that they have. */
const paths = {
  mark: "M4 2v12M12 2v12M4 8h8",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
  out: "M6 2H3v12h3M7 8h7m-3-3 3 3-3 3",
  auto: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5v1.5M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.5A6 6 0 1 1 6.5 2.5a5 5 0 0 0 7 7z",
  cut: "M2 8h4M10 8h4M6.5 5l3 6",
  copy: "M6 6h7v8H6zM3 10V2h7",
  done: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7",
  wait: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
  run: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5",
  skip: "M3 4l5 4-5 4zM9 4l4 4-4 4",
  stop: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 12l8-8",
  pause: "M5.5 3v10M10.5 3v10",
  warn: "M8 2 15 14H1zM8 6.5v3M8 11.5v.5",
  late: "M4 2h8M4 14h8M5 2c0 4 6 8 6 12M11 2c0 4-6 8-6 12",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  link: "M9 3h4v4M13 3 7 9M6 4H3v9h9v-3",
} as const;

export type IconName = keyof typeof paths;

/** A sign beside words; it says nothing by itself. */
export function Icon({
  name,
  className = "",
}: {
  readonly name: IconName;
  readonly className?: string;
}) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
