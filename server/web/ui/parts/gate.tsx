import type { MouseEvent, ReactNode } from 'react';
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { gateFault } from '../gate-fault.ts';
import type { IconName } from '../icons.tsx';
import { Icon } from '../icons.tsx';
import { useAddress } from '../router.ts';
import { tapFilter } from '../second-tap.ts';

export interface GateProps {
  /** The sentence above the act, such as what is missing. */
  readonly note?: ReactNode;
  readonly noteIcon?: IconName;
  readonly act: string;
  /** A second, smaller line of the act. */
  readonly more?: string | undefined;
  readonly icon?: IconName;
  /** Outlined: something is missing, and the act leads there. */
  readonly todo?: boolean;
  readonly overTabs?: boolean;
  /** An act of this page; without one the gate is a link to `href`, or submits its form. */
  readonly onAct?: (() => void) | undefined;
  readonly href?: string | undefined;
  /** The id of the form that the gate submits. */
  readonly form?: string;
  readonly busy?: boolean;
  /** A native field that lies over the act, unseen, such as the camera's: the act is its label. */
  readonly input?: ReactNode;
  /** Smaller acts below it. */
  readonly under?: ReactNode;
}

/** The act of a gate in a sheet while something is missing: moves the focus to the first control that needs a value. */
export function focusMissing(): void {
  const missing = document.querySelector<HTMLElement>('dialog :is(textarea, input):invalid');
  missing?.focus();
  missing?.scrollIntoView({ block: 'center' });
}

/** One filter for all gates: one follows the other at the same place, and a tap on the former is no act of the next. */
const counts = tapFilter();

/** The green bar at the foot of a screen: a sentence, then the one act. */
export function Gate(props: GateProps) {
  const { note, noteIcon = 'warn', act, more, icon = 'arrow', todo = false, overTabs = false, under } = props;
  const className = todo ? 'gate-btn todo' : 'gate-btn';
  const inside = (
    <>
      <span>
        {act}
        {more !== undefined && more !== '' && <small>{more}</small>}
      </span>
      <Icon name={icon} />
    </>
  );
  const fault = useSyncExternalStore(gateFault.subscribe, () => gateFault.current);
  const { path } = useAddress();
  useEffect(() => () => gateFault.set(undefined), [path]);
  const drawnAt = useRef(0);
  useLayoutEffect(() => void (drawnAt.current = performance.now()), [path, act]);
  const filter = (event: MouseEvent<HTMLElement>): void => {
    const { timeStamp, clientX, clientY, detail } = event.nativeEvent;
    if (counts({ timeStamp, clientX, clientY, detail }, drawnAt.current)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <footer className={overTabs ? 'gate over-tabs' : 'gate'} onClickCapture={filter}>
      {note !== undefined && (
        <p className="gate-note">
          <Icon name={noteIcon} small />
          <span>{note}</span>
        </p>
      )}
      {fault !== undefined && (
        <p className="gate-note badword" role="alert">
          <Icon name="warn" small />
          <span>{fault}</span>
        </p>
      )}
      {props.input !== undefined ? (
        <label className={`${className} covered`}>
          {inside}
          {props.input}
        </label>
      ) : props.href === undefined ? (
        <button
          className={className}
          type={props.form === undefined ? 'button' : 'submit'}
          form={props.form}
          aria-disabled={props.busy ?? false}
          aria-busy={props.busy ?? false}
          onClick={props.busy === true ? (event) => event.preventDefault() : props.onAct}
        >
          {inside}
        </button>
      ) : (
        <a className={className} href={props.href}>
          {inside}
        </a>
      )}
      {under !== undefined && under !== null && <div className="under">{under}</div>}
    </footer>
  );
}
