import type { ReceiptState } from '@tailgate/client-sdk';
import { useClient } from '@tailgate/client-sdk/react';
import { useMemo, useRef, useSyncExternalStore } from 'react';
import { Ticks } from '../../ui/parts/ticks.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { links } from '../links.ts';
import type { TickRow } from '../model/ticks.ts';
import { ticksOf } from '../model/ticks.ts';
import { t } from '../words/words.ts';

/** The progress of several changes; a change that the phone has no longer is left out. */
export function useReceipts(ids: readonly string[]): readonly ReceiptState[] {
  const client = useClient();
  const last = useRef<readonly ReceiptState[]>([]);
  const key = ids.join(' ');
  const [subscribe, read] = useMemo(() => {
    const receipts = ids.flatMap((id) => client.receipt(id) ?? []);
    return [
      (listener: () => void) => {
        const stops = receipts.map((receipt) => receipt.subscribe(listener));
        return () => stops.forEach((stop) => stop());
      },
      () => {
        const states = receipts.map(({ current }) => current);
        if (states.length !== last.current.length || states.some((state, i) => state !== last.current[i]))
          last.current = states;
        return last.current;
      },
    ] as const;
    // The ids in one text: a view repeats its list of ids as another array.
  }, [client, key]);
  return useSyncExternalStore(subscribe, read, read);
}

/** The ticks of a stop in a list; a tap opens their sentences. */
export function StopTicks({ id, receipts }: { readonly id: number; readonly receipts: readonly string[] }) {
  const row = ticksOf(useReceipts(receipts));
  if (!row) return null;
  const word = tickWord(row);
  const label = t('tick.label', {
    n: id,
    word,
    phone: stateWord(row.phone),
    server: stateWord(row.server),
    office: stateWord(row.office),
  });
  return <Ticks states={[row.phone, row.server, row.office]} word={word} label={label} href={links.where(id)} />;
}

export const tickWord = ({ word }: TickRow): string => t(`tick.${word}`);

const stateWord = (state: TickState): string =>
  t(({ yes: 'tick.yes', part: 'tick.inPart', wait: 'tick.notYet', look: 'tick.looks' } as const)[state]);
