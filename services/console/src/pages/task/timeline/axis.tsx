import { exactTime, formatDuration } from "../../../parts/format.ts";
import { type TimeScale, ticksOf } from "./time-scale.ts";

interface Props {
  readonly scale: TimeScale;
  /** Times are counted from here. */
  readonly origin: number;
  readonly height: number;
  readonly now: number | null;
}

const apart = 84;
const top = 18;

/** Time from the submission on. What is idle is cut out, and says for how long. */
export function Axis({ scale, origin, height, now }: Props) {
  return (
    <g className="axis">
      {scale.segments
        .filter(({ isIdle, width }) => isIdle && width >= 3)
        .map(({ from, until, x, width }) => (
          <g key={from}>
            <title>{`${formatDuration(until - from)} in which no attempt ran`}</title>
            <rect className="axis-idle" x={x} y={top} width={width} height={height - top} />
            {width >= 24 && (
              <path
                className="axis-cut"
                d={`M${x + width / 2 - 4} ${top + 4}l3-8m2 8 3-8`}
                transform="translate(0 -1)"
              />
            )}
          </g>
        ))}
      {ticksOf(scale, origin, apart).map(({ x, at }) => (
        <g key={at}>
          <title>{exactTime(at)}</title>
          <path className="axis-tick" d={`M${x + 0.5} ${top - 4}V${height}`} />
          <text x={x + 4} y={12}>
            {at - origin < 1 ? "0" : `+${formatDuration(at - origin)}`}
          </text>
        </g>
      ))}
      {now !== null && (
        <path className="axis-now" d={`M${scale.xOf(now)} ${top - 4}V${height}`}>
          <title>now</title>
        </path>
      )}
    </g>
  );
}
