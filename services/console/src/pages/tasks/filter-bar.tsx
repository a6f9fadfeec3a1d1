import { parseWhen } from "@holdfast/domain/instant";
import { type FormEvent, useState } from "react";
import { navigate } from "../../app/router.tsx";
import { Chip, FilterChip } from "../../parts/chip.tsx";
import { Icon } from "../../parts/icon.tsx";
import { styleOf, taskStyles } from "../../parts/state-styles.ts";
import {
  noFilter,
  stateChoices,
  type TaskFilter,
  textFields,
  withinMs,
  writeFilter,
} from "./filter.ts";

const show = (filter: TaskFilter): void => navigate(`/tasks${writeFilter(filter)}`);

/** The filter of the list: states to switch on, and everything else as chips. */
export function FilterBar({ filter }: { readonly filter: TaskFilter }) {
  const { states, labels } = filter;
  const toggle = (state: (typeof stateChoices)[number]): void =>
    show({
      ...filter,
      states: states.includes(state)
        ? states.filter((one) => one !== state)
        : stateChoices.filter((one) => one === state || states.includes(one)),
    });
  const withoutLabel = (name: string) =>
    Object.fromEntries(Object.entries(labels).filter(([one]) => one !== name));
  const isFiltered = writeFilter(filter) !== "";
  return (
    <div className="filter-bar">
      <div className="chips" role="group" aria-label="States">
        {stateChoices.map((state) => (
          <Chip key={state} isOn={states.includes(state)} onToggle={() => toggle(state)}>
            {state === "open" ? (
              "Not ended"
            ) : (
              <>
                <Icon
                  name={styleOf(taskStyles, state).icon}
                  className={`tone-${styleOf(taskStyles, state).tone}`}
                />
                {styleOf(taskStyles, state).word}
              </>
            )}
          </Chip>
        ))}
      </div>
      <div className="chips" role="group" aria-label="Filters">
        {textFields
          .filter(([name]) => filter[name] !== "")
          .map(([name, words]) => (
            <FilterChip
              key={name}
              name={words}
              value={filter[name]}
              onRemove={() => show({ ...filter, [name]: "" })}
            />
          ))}
        {Object.entries(labels).map(([name, value]) => (
          <FilterChip
            key={`label ${name}`}
            name={`label ${name}`}
            value={value}
            onRemove={() => show({ ...filter, labels: withoutLabel(name) })}
          />
        ))}
        <AddFilter filter={filter} />
        {isFiltered && (
          <button type="button" className="link-button" onClick={() => show(noFilter)}>
            Clear
          </button>
        )}
      </div>
    </div>
  );
}

const choices = [...textFields, ["label", "label (name=value)"]] as const;
type Choice = (typeof choices)[number][0];

/** What is wrong with the value of a new filter; null: nothing. */
function faultOf(name: Choice, value: string): string | null {
  if (name === "label" && !/^[^=]+=/.test(value)) return "Write it as name=value.";
  if (name === "within" && withinMs(value) === null) return "Write it as 15m, 24h or 7d.";
  const isInstant = name === "createdFrom" || name === "createdBefore";
  if (isInstant && parseWhen(value) === null) return "Write it as 2026-11-24T10:00:00Z, or -1h.";
  return null;
}

function AddFilter({ filter }: { readonly filter: TaskFilter }) {
  const [name, setName] = useState<Choice>("text");
  const [value, setValue] = useState("");
  const fault = value === "" ? null : faultOf(name, value);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = value.trim();
    if (given === "" || faultOf(name, given) !== null) return;
    setValue("");
    if (name !== "label") return show({ ...filter, [name]: given });
    const [label = "", ...rest] = given.split("=");
    return show({ ...filter, labels: { ...filter.labels, [label]: rest.join("=") } });
  };
  return (
    <form className="add-filter" onSubmit={submit}>
      <select
        value={name}
        aria-label="Filter by"
        onChange={(event) => setName(event.target.value as Choice)}
      >
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      <input
        value={value}
        maxLength={200}
        placeholder="value, then Enter"
        aria-label="Value of the filter"
        aria-invalid={fault !== null}
        title={fault ?? undefined}
        onChange={(event) => setValue(event.target.value)}
      />
      {fault !== null && <span className="hint-error">{fault}</span>}
    </form>
  );
}
