import { useContact } from "../api/console-context.ts";
import { exactTime } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

/** Says that the service does not answer, and from when what is shown is. */
export function ContactBanner() {
  const { lostSince, lastAnswerAt, reason } = useContact();
  if (lostSince === null) return null;
  return (
    <div className="banner" role="status">
      <Icon name="cut" />
      <strong>Connection lost since {exactTime(lostSince)}</strong>
      <span>
        {lastAnswerAt === null
          ? "Nothing was read yet."
          : `Data is from ${exactTime(lastAnswerAt)}.`}{" "}
        {reason} The console asks again.
      </span>
    </div>
  );
}
