import { Time } from "../../parts/time.tsx";

interface Props {
  readonly at: string;
  readonly query: { readonly isFetching: boolean; readonly refetch: () => Promise<unknown> };
}

/** When it was looked at, and the button to look again. */
export function ReadAgain({ at, query: { isFetching, refetch } }: Props) {
  return (
    <>
      looked at <Time at={at} />{" "}
      <button
        type="button"
        className="link-button"
        disabled={isFetching}
        onClick={() => void refetch()}
      >
        {isFetching ? "Looking …" : "Look again"}
      </button>
    </>
  );
}
