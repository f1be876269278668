import type { LocalStop, ReceiptState } from '@tailgate/client-sdk';
import { useClient, useWatch } from '@tailgate/client-sdk/react';
import { filesOf } from '@tailgate/client-sdk/uploads';
import { useMemo, useSyncExternalStore } from 'react';
import { Chip } from '../../ui/parts/chip.tsx';
import { Ticks } from '../../ui/parts/ticks.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { links } from '../links.ts';
import { isPending } from '../model/order.ts';
import type { TickRow } from '../model/ticks.ts';
import { ticksOf } from '../model/ticks.ts';
import { saving } from '../saving.ts';
import { useServices } from '../services.ts';
import { t } from '../words/words.ts';

/** The progress of several changes; a change that the phone has no longer is left out. */
export function useReceipts(ids: readonly string[]): readonly ReceiptState[] {
  const client = useClient();
  return useAll(
    ids,
    (id) => client.receipt(id),
    // A page may learn of a change later than of its id; the status moves with each change.
    client.status,
  );
}

/** The ticks of a stop. Undefined where this phone has no change of it. */
export function useTicks({ id, receipts, parked }: LocalStop): TickRow | undefined {
  const writes = useWatch(saving);
  return ticksOf(
    useReceipts(receipts),
    parked,
    writes.some(({ stop }) => stop === id),
  );
}

/** How many of the files that a stop names are still on this phone alone. */
export function useFilesLeft(stop: LocalStop): number {
  const { uploads } = useServices();
  const files = useAll(filesOf(stop), (id) => uploads.file(id), uploads.status);
  return files.filter((file) => file?.at === 'saved').length;
}

interface Source<Value> {
  readonly current: Value;
  subscribe(listener: () => void): () => void;
}

/** The values of several sources by id, looked up again with each change of `also` while one is unknown. */
function useAll<Value>(
  ids: readonly string[],
  find: (id: string) => Source<Value> | undefined,
  also: Source<unknown>,
): readonly Value[] {
  const key = ids.join(' ');
  const [subscribe, read] = useMemo(() => {
    const known = new Map<string, Source<Value>>();
    const sources = (): Source<Value>[] =>
      key.split(' ').flatMap((id) => {
        const source = known.get(id) ?? (id === '' ? undefined : find(id));
        if (source) known.set(id, source);
        return source ?? [];
      });
    let last: readonly Value[] = [];
    return [
      (listener: () => void) => {
        const stops = [...sources(), also].map((source) => source.subscribe(listener));
        return () => stops.forEach((stop) => stop());
      },
      (): readonly Value[] => {
        const values = sources().map(({ current }) => current);
        if (values.length !== last.length || values.some((value, i) => value !== last[i])) last = values;
        return last;
      },
    ] as const;
    // One text for the ids: a view repeats its list as another array. `find` depends on the client alone.
  }, [key, also]);
  return useSyncExternalStore(subscribe, read, read);
}

/** The ticks of a stop, or that it was recorded elsewhere; a tap opens the sentences. */
export function StopTicks({ stop, href = links.where(stop.id) }: { readonly stop: LocalStop; readonly href?: string }) {
  const row = useTicks(stop);
  const left = useFilesLeft(stop);
  if (!row)
    return isPending(stop) ? null : (
      <Ticks
        states={[]}
        word={t('tick.elsewhere')}
        label={t('tick.labelElsewhere', { n: stop.id, word: t('tick.elsewhere') })}
        href={href}
      />
    );
  const word = row.word === 'file' && left > 0 ? t('tick.files', { n: left }) : tickWord(row);
  const label = t('tick.label', {
    n: stop.id,
    word,
    phone: stateWord(row.phone),
    server: stateWord(row.server),
    office: stateWord(row.office),
  });
  return <Ticks states={[row.phone, row.server, row.office]} word={word} label={label} href={href} />;
}

/** A pending stop whose change is under review: the driver has done it, and the office decides. */
export function ReviewChip({ stop }: { readonly stop: LocalStop }) {
  const states = useReceipts(stop.receipts);
  const isReviewed = states.some((state) => state.at === 'quarantined' && state.dismissed === undefined);
  if (!isReviewed) return null;
  return (
    <Chip icon="office" tone="warn">
      {t('tick.look')}
    </Chip>
  );
}

export const tickWord = ({ word }: TickRow): string => t(`tick.${word}`);

const stateWord = (state: TickState): string =>
  t(({ yes: 'tick.yes', part: 'tick.inPart', wait: 'tick.notYet', look: 'tick.looks' } as const)[state]);
