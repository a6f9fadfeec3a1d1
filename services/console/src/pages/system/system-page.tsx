import { useMemo } from "react";
import { Link, usePlace } from "../../app/router.tsx";
import { readRoute } from "../../app/routes.ts";
import { Configuration } from "./configuration.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { Doctor } from "./doctor.tsx";
import { SystemParts } from "./system-parts.tsx";
import { Verify } from "./verify.tsx";

const views = [
  { rest: "", title: "Processes, queues, store", show: SystemParts },
  { rest: "dead-letters", title: "Dead letters", show: DeadLetters },
  { rest: "doctor", title: "Doctor", show: Doctor },
  { rest: "verify", title: "Verify", show: Verify },
  { rest: "configuration", title: "Configuration", show: Configuration },
] as const;

/** What the tasks run on. */
export function SystemPage() {
  const { path } = usePlace();
  const rest = useMemo(() => {
    const route = readRoute(path);
    return route.page === "system" ? route.rest : "";
  }, [path]);
  const view = views.find((one) => one.rest === rest) ?? views[0];
  return (
    <section className="page" aria-labelledby="system-title">
      <div className="page-head">
        <h1 id="system-title">System</h1>
        <nav className="subtabs" aria-label="Parts of the system">
          {views.map((one) => (
            <Link
              key={one.rest}
              to={one.rest === "" ? "/system" : `/system/${one.rest}`}
              aria-current={one === view ? "page" : undefined}
            >
              {one.title}
            </Link>
          ))}
        </nav>
      </div>
      <view.show />
    </section>
  );
}
