import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

interface ChipProps {
  readonly isOn: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** A filter that is on or off. */
export function Chip({ isOn, onToggle, children }: ChipProps) {
  return (
    <button type="button" className="chip" aria-pressed={isOn} onClick={onToggle}>
      {children}
    </button>
  );
}

interface FilterChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** A filter with its value, which can be removed. */
export function FilterChip({ name, value, onRemove }: FilterChipProps) {
  return (
    <span className="chip chip-value">
      <span className="chip-name">{name}</span>
      <span className="chip-text">{value}</span>
      <button type="button" aria-label={`Remove the filter ${name}`} onClick={onRemove}>
        <Icon name="cross" />
      </button>
    </span>
  );
}
