import type { ReactNode } from 'react';
import { useState } from 'react';
import { Icon } from '../icons.tsx';

export interface StepperWords {
  readonly less: string;
  readonly more: string;
  /** The label of the number, which opens the keypad. */
  readonly type: string;
  readonly erase: string;
  readonly done: string;
}

interface StepperProps {
  /** What is counted, such as "Pieces delivered". */
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min?: number;
  readonly max?: number;
  readonly words: StepperWords;
  readonly small?: boolean;
  /** Below the number, such as "of 11 · 2 less". */
  readonly children?: ReactNode;
}

/** A count under a glove: one less, the number, one more. A tap on the number opens a keypad. */
export function Stepper(props: StepperProps) {
  const { label, value, onChange, min = 0, max = 9_999_999, words, small = false, children } = props;
  const [isTyping, setTyping] = useState(false);
  const [isFresh, setFresh] = useState(true);
  const set = (next: number): void => onChange(Math.min(max, Math.max(min, next)));
  const digit = (figure: number): void => {
    set(isFresh ? figure : value * 10 + figure);
    setFresh(false);
  };
  const open = (): void => {
    setTyping(!isTyping);
    setFresh(true);
  };
  return (
    <div role="group" aria-label={label}>
      <div className={small ? 'stepper small-step' : 'stepper'}>
        <button className="btn" type="button" aria-label={words.less} onClick={() => set(value - 1)}>
          <Icon name="minus" />
        </button>
        <button className="count-btn" type="button" aria-expanded={isTyping} onClick={open}>
          <output aria-live="polite">{value}</output>
          <span className="sr">. {words.type}</span>
          {children !== undefined && <small>{children}</small>}
        </button>
        <button className="btn" type="button" aria-label={words.more} onClick={() => set(value + 1)}>
          <Icon name="plus" />
        </button>
      </div>
      {isTyping && (
        <div className="keypad">
          {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((figure) => (
            <button key={figure} className="btn" type="button" onClick={() => digit(figure)}>
              {figure}
            </button>
          ))}
          <button className="btn" type="button" aria-label={words.erase} onClick={() => set(Math.floor(value / 10))}>
            <Icon name="back" />
          </button>
          <button className="btn" type="button" onClick={() => digit(0)}>
            0
          </button>
          <button className="btn" type="button" aria-label={words.done} onClick={open}>
            <Icon name="check" />
          </button>
        </div>
      )}
    </div>
  );
}
