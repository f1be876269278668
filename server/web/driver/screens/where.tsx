import type { ReceiptState } from '@tailgate/client-sdk';
import { useRoute, useStatus, useWatch } from '@tailgate/client-sdk/react';
import type { ReactNode } from 'react';
import { Sheet } from '../../ui/parts/sheet.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { Tick } from '../../ui/parts/ticks.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { recordedAt } from '../model/receipt-time.ts';
import type { TickRow } from '../model/ticks.ts';
import { ticksOf } from '../model/ticks.ts';
import { NextGate } from '../parts/stop-gate.tsx';
import { useReceipts } from '../parts/stop-ticks.tsx';
import { UndoBar, useSecondsUntil } from '../parts/undo-bar.tsx';
import { lastRecorded } from '../recorded.ts';
import { exactTime, span, t } from '../words/words.ts';

/** Where a stop's changes are: a sentence for each tick. Right after recording it offers the undo, and the next stop. */
export function WhereSheet({ stop: id, isFresh = false }: { readonly stop: number; readonly isFresh?: boolean }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  const states = useReceipts(stop?.receipts ?? []);
  if (!route || !stop) return null;
  const row = ticksOf(states);
  const latest = stop.receipts.at(-1);
  return (
    <Sheet
      title={t(stop.updates.status === 'D' ? 'where.title' : 'where.titleChange')}
      over={`${t('route.stopNumber', { n: id })} · ${stop.customer.name}`}
      closeLabel={t('app.close')}
      onClose={() => goBack(links.route)}
      above={<UndoBar of={id} />}
      foot={isFresh ? <NextGate route={route} stop={stop} /> : undefined}
    >
      {row && latest !== undefined ? (
        <Legend row={row} states={states} latest={latest} />
      ) : (
        <p>
          <strong>{t('where.elsewhere')}</strong> {t('where.elsewhereWhy')}
        </p>
      )}
      {latest !== undefined && (
        <p className="cap">
          {t('where.trace', { n: id })} <span className="mono">{latest}</span>
        </p>
      )}
    </Sheet>
  );
}

interface LegendProps {
  readonly row: TickRow;
  readonly states: readonly ReceiptState[];
  readonly latest: string;
}

function Legend({ row, states, latest }: LegendProps) {
  const { connection } = useStatus();
  const last = useWatch(lastRecorded);
  const left = useSecondsUntil(last?.receipt.id === latest ? last.until : 0);
  const saved = recordedAt(latest);
  const waits =
    left > 0
      ? t('where.notServerUndo', { wait: span(left * 1000) })
      : t(connection === 'online' ? 'where.notServerOn' : 'where.notServerOff');
  return (
    <ol className="legend" aria-live="polite" aria-label={t('where.three')}>
      {row.phone === 'yes' ? (
        <Step tick="yes" title={t('where.phone')}>
          {t('where.phoneWhy', { time: saved === undefined ? '' : exactTime(saved) })}
        </Step>
      ) : (
        <Step tick="wait" title={t('where.saving')}>
          {t('where.savingWhy')}
        </Step>
      )}
      {row.server === 'wait' && (
        <Step tick="wait" title={t('where.notServer')}>
          {waits}
        </Step>
      )}
      {row.server === 'part' && (
        <Step tick="part" title={t('where.serverPart')}>
          {t('where.serverPartWhy')}
        </Step>
      )}
      {row.server === 'yes' && (
        <Step tick="yes" title={t('where.server')}>
          {t('where.serverWhy')}
        </Step>
      )}
      <OfficeStep row={row} states={states} />
    </ol>
  );
}

function OfficeStep({ row, states }: Pick<LegendProps, 'row' | 'states'>) {
  const refused = states.find((state) => state.at === 'quarantined');
  if (row.office === 'yes')
    return (
      <Step tick="yes" title={t('where.office')}>
        {t('where.officeWhy')}
      </Step>
    );
  if (row.office === 'look' && refused?.at === 'quarantined')
    return (
      <Step tick="look" title={t('where.look')}>
        {refused.dismissed === undefined
          ? t('where.lookWhy', { why: refused.reason })
          : t('where.lookDone', { why: refused.dismissed })}
      </Step>
    );
  return (
    <Step tick="wait" title={t('where.notOffice')}>
      {t('where.notOfficeWhy')}
    </Step>
  );
}

function Step({ tick, title, children }: { tick: TickState; title: string; children: ReactNode }) {
  return (
    <li className={tick === 'wait' ? undefined : 'done'}>
      <Tick state={tick} />
      <div>
        <strong>{title}</strong>
        <span className="small">{children}</span>
      </div>
    </li>
  );
}
