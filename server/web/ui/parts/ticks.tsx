/** `yes` is proven; `part` lacks a file; `wait` is not there yet; `look` needs a person at the office. */
export type TickState = 'yes' | 'part' | 'wait' | 'look';

/** One tick: a shape for each state. */
export function Tick({ state }: { readonly state: TickState }) {
  return (
    <svg className={`tk tk-${state}`} viewBox="0 0 20 20" aria-hidden="true">
      {shapes[state]()}
    </svg>
  );
}

const shapes = {
  yes: () => (
    <>
      <circle cx="10" cy="10" r="10" fill="currentColor" />
      <path
        className="cut"
        d="M5.4 10.4l3.1 3.1 6-6.6"
        fill="none"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  part: () => (
    <>
      <circle cx="10" cy="10" r="8.6" fill="none" stroke="currentColor" strokeWidth="2.6" />
      <path d="M10 1.4a8.6 8.6 0 0 0 0 17.2z" fill="currentColor" />
    </>
  ),
  wait: () => (
    <circle cx="10" cy="10" r="8.6" fill="none" stroke="currentColor" strokeWidth="2.4" strokeDasharray="3.4 3.35" />
  ),
  look: () => (
    <>
      <path className="fill-warn" d="M10 .2L19.8 10 10 19.8.2 10z" />
      <path className="on-warn" d="M10 5.4v5.4M10 14.2v.1" fill="none" strokeWidth="2.6" strokeLinecap="round" />
    </>
  ),
};

interface TicksProps {
  readonly states: readonly TickState[];
  /** The word beside the marks: how far it got. */
  readonly word: string;
  /** All of it in words, for screen readers. */
  readonly label: string;
  /** The page with the sentences. */
  readonly href: string;
}

/** Three ticks with a word; a tap opens the sentences. */
export function Ticks({ states, word, label, href }: TicksProps) {
  return (
    <a className="ticks" href={href} aria-label={label}>
      <Marks states={states} />
      <span>{word}</span>
    </a>
  );
}

/** The marks alone, beside other words. */
export function Marks({ states, label }: { readonly states: readonly TickState[]; readonly label?: string }) {
  return (
    <span className="ticks-marks" role={label === undefined ? undefined : 'img'} aria-label={label}>
      {states.map((state, place) => (
        <Tick key={place} state={state} />
      ))}
    </span>
  );
}
