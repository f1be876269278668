import { useClient, useWatch } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { go, useAddress } from '../../ui/router.ts';
import { links } from '../links.ts';
import { lastRecorded, undo } from '../recorded.ts';
import type { Recorded } from '../recorded.ts';
import { t } from '../words/words.ts';

interface UndoBarProps {
  /** The page that shows it: a sheet over this page has its own. */
  readonly at: string;
  /** Changes of this stop alone. */
  readonly of?: number;
}

/** The undo of the latest change while nothing of it was sent; below a screen, or above a sheet. */
export function UndoBar({ at, of }: UndoBarProps) {
  const last = useWatch(lastRecorded);
  const { path } = useAddress();
  if (!last || (of !== undefined && last.stop !== of) || at !== `#/${path}`) return null;
  return <Undo key={last.receipt.id} last={last} />;
}

function Undo({ last }: { readonly last: Recorded }) {
  const client = useClient();
  const left = useSecondsUntil(last.until);
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  if (left === 0) return null;
  const takeBack = async (): Promise<void> => {
    setBusy(true);
    try {
      const result = await undo(client, last);
      go(links.stop(last.stop), { replace: result === 'withdrawn' });
    } catch (error) {
      setFault(t('fault.other', { why: error instanceof Error ? error.message : String(error) }));
    }
    setBusy(false);
  };
  return (
    <div className="toastbox">
      <div className="toast">
        <Icon name="check" />
        <p className="grow" role="status">
          <strong>{t(`done.${last.kind}`)}</strong>
          <br />
          {last.isSent ? t('done.sent') : fault || t('route.stopNumber', { n: last.stop })}
        </p>
        {!last.isSent && (
          <button className="btn" type="button" disabled={isBusy} onClick={() => void takeBack()}>
            <Icon name="undo" />
            {t('done.undo', { n: left })}
          </button>
        )}
      </div>
    </div>
  );
}

/** Whole seconds until a moment of `performance.now()`, counted once a second. */
export function useSecondsUntil(until: number | undefined): number {
  const [now, setNow] = useState(() => performance.now());
  const isOver = until === undefined || now >= until;
  useEffect(() => {
    const timer = isOver ? undefined : setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [isOver]);
  return isOver ? 0 : Math.ceil((until - now) / 1000);
}
