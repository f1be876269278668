import type { ReactNode } from 'react';
import { useId } from 'react';

interface ChoiceOption {
  readonly value: string;
  readonly label: string;
  /** A smaller second line. */
  readonly below?: string | undefined;
}

interface ChoiceProps {
  /** Read out, and shown unless `hideLegend`. */
  readonly legend: ReactNode;
  readonly hideLegend?: boolean;
  readonly options: readonly ChoiceOption[];
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
  /** `rows`: one below the other; `two`, `three`: side by side where they fit; `cells`: five figures. */
  readonly look?: 'rows' | 'two' | 'three' | 'cells';
}

/** One of several, as big radio rows. */
export function Choice({ legend, hideLegend = false, options, value, onChoose, look = 'rows' }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset className={look === 'rows' ? 'choice' : `choice ${look}`}>
      <legend className={hideLegend ? 'sr' : 'lab'}>{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            required
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>
            {option.label}
            {option.below !== undefined && <small>{option.below}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
