import { Tick } from '../../ui/parts/ticks.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { t } from '../words/words.ts';

interface ThenProps {
  /** Our edit is in the history. */
  readonly saved: TickState;
  readonly written: TickState;
  readonly confirmed: TickState;
  /** The host has refused it again. */
  readonly refusal?: string | undefined;
}

/** The steps of a repair: saved, on the host, read back. A tick never runs ahead of its evidence. */
export function Then({ saved, written, confirmed, refusal }: ThenProps) {
  const steps = [
    { state: saved, head: t('repair.saved'), more: t('repair.savedMore') },
    {
      state: written,
      head: t('repair.written'),
      more: refusal === undefined ? t('repair.writtenMore') : t('repair.refusedAgain', { why: refusal }),
    },
    { state: confirmed, head: t('repair.confirmed'), more: t('repair.confirmedMore') },
  ];
  return (
    <ol className="legend" aria-live="polite">
      {steps.map(({ state, head, more }) => (
        <li key={head} className={state === 'yes' ? 'done' : undefined}>
          <Tick state={state} />
          <div>
            <strong>
              {head}
              {state === 'yes' && <span className="sr">: {t('repair.done')}</span>}
            </strong>
            <span className="small">{more}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}
