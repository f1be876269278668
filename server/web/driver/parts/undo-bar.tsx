import { useClient, useRoute, useWatch } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { go } from '../../ui/router.ts';
import { links } from '../links.ts';
import { lastRecorded, undo } from '../recorded.ts';
import type { Recorded } from '../recorded.ts';
import { t } from '../words/words.ts';

/** The undo of the latest change while nothing of it was sent; below a screen, or above a sheet. */
export function UndoBar({ of }: { readonly of?: number }) {
  const last = useWatch(lastRecorded);
  if (!last || (of !== undefined && last.stop !== of)) return null;
  return <Undo key={last.receipt.id} last={last} />;
}

function Undo({ last }: { readonly last: Recorded }) {
  const client = useClient();
  const route = useRoute();
  const left = useSecondsUntil(last.until);
  if (left === 0) return null;
  const name = route?.stops.find(({ id }) => id === last.stop)?.customer.name ?? '';
  const takeBack = async (): Promise<void> => {
    const result = await undo(client, last);
    go(links.stop(last.stop), { replace: result === 'withdrawn' });
  };
  return (
    <div className="toastbox">
      <div className="toast">
        <Icon name="check" />
        <p className="grow" role="status">
          <strong>{t(`done.${last.kind}`)}</strong>
          <br />
          {name}
        </p>
        <button className="btn" type="button" onClick={() => void takeBack()}>
          <Icon name="undo" />
          {t('done.undo', { n: left })}
        </button>
      </div>
    </div>
  );
}

/** Whole seconds that are left, counted once a second. */
export function useSecondsUntil(until: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const isOver = until === undefined || now >= until;
  useEffect(() => {
    const timer = isOver ? undefined : setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isOver]);
  return isOver ? 0 : Math.ceil((until - now) / 1000);
}
