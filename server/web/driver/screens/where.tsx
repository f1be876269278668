import type { LocalRoute, LocalStop, ReceiptState } from '@tailgate/client-sdk';
import { useRoute, useStatus, useWatch } from '@tailgate/client-sdk/react';
import type { ReactNode } from 'react';
import { Sheet } from '../../ui/parts/sheet.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { Tick } from '../../ui/parts/ticks.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { isPickup } from '../model/lines.ts';
import { isPending } from '../model/order.ts';
import { latestTimes } from '../model/ticks.ts';
import { StopFiles } from '../parts/stop-files.tsx';
import { NextGate } from '../parts/stop-gate.tsx';
import { StopProof } from '../parts/stop-proof.tsx';
import { useFilesLeft, useReceipts, useTicks } from '../parts/stop-ticks.tsx';
import { UndoBar, useSecondsUntil } from '../parts/undo-bar.tsx';
import { lastRecorded } from '../recorded.ts';
import { exactTime, moment, sinceTime, span, t } from '../words/words.ts';
import { reviewSentence } from '../words/review-sentence.ts';
import { whereWord } from '../words/where-words.ts';

interface WhereProps {
  readonly stop: number;
  readonly isFresh?: boolean;
  /** The page below. */
  readonly parent?: string;
}

/** The place of a stop's changes: a sentence for each tick. Right after recording it offers the undo, and the next stop. */
export function WhereSheet({ stop: id, isFresh = false, parent = links.route }: WhereProps) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  if (!route || !stop) return null;
  return <KnownWhere route={route} stop={stop} isFresh={isFresh} parent={parent} />;
}

interface KnownProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly isFresh: boolean;
  readonly parent: string;
}

function KnownWhere({ route, stop, isFresh, parent }: KnownProps) {
  const { id } = stop;
  const latest = stop.receipts.at(-1);
  const row = useTicks(stop);
  // Of a stop of another phone only the server knows whether the office has it.
  const mayHaveProof = row ? row.office === 'yes' : !isPending(stop);
  return (
    <Sheet
      title={whereWord(stop.updates.status === 'D' && !isPickup(stop) ? 'where.title' : 'where.titleChange')}
      over={`${t('route.stopNumber', { n: id })} · ${stop.customer.name}`}
      closeLabel={t('app.close')}
      steady={isFresh}
      onClose={() => goBack(parent)}
      above={<UndoBar at={isFresh ? links.done(id) : links.where(id)} of={id} />}
      foot={isFresh ? <NextGate route={route} stop={stop} /> : undefined}
    >
      <Legend stop={stop} />
      <StopFiles stop={stop} />
      {mayHaveProof && <StopProof route={route} stop={stop} />}
      {latest !== undefined && (
        <p className="cap">
          {whereWord('where.trace', { n: id })} <span className="mono">{latest}</span>
        </p>
      )}
    </Sheet>
  );
}

function Legend({ stop }: { readonly stop: LocalStop }) {
  const states = useReceipts(stop.receipts);
  const filesLeft = useFilesLeft(stop);
  const row = useTicks(stop);
  if (!row)
    return (
      <p>
        <strong>{whereWord('where.elsewhere')}</strong> {whereWord('where.elsewhereWhy')}
      </p>
    );
  const times = latestTimes(states);
  const arrived = times.accepted === undefined ? undefined : moment(times.accepted, Date.now());
  return (
    <ol className="legend" aria-live="polite" aria-label={whereWord('where.three')}>
      {row.phone === 'yes' ? (
        <Step tick="yes" title={whereWord('where.phone')}>
          {times.recorded === undefined
            ? whereWord('where.phonePlain')
            : whereWord('where.phoneWhy', { time: exactTime(times.recorded) })}
        </Step>
      ) : (
        <Step tick="wait" title={whereWord('where.saving')}>
          {whereWord('where.savingWhy')}
        </Step>
      )}
      {row.server === 'wait' && <Waiting latest={stop.receipts.at(-1)} />}
      {row.server === 'part' && (
        <Step tick="part" title={whereWord('where.serverPart')}>
          {filesLeft > 0 && arrived !== undefined
            ? whereWord('where.serverPartWhy', { time: arrived, n: filesLeft })
            : whereWord('where.serverElsewhere')}
        </Step>
      )}
      {row.server === 'yes' && (
        <Step tick="yes" title={whereWord('where.server')}>
          {arrived === undefined ? whereWord('where.serverPlain') : whereWord('where.serverWhy', { time: arrived })}
        </Step>
      )}
      <OfficeStep
        office={row.office}
        isTrial={row.word === 'shadow'}
        lacksFile={row.server === 'part'}
        isParked={stop.parked}
        states={states}
        hosted={times.hosted}
      />
    </ol>
  );
}

/** Not at the server: the undo window, the network, or a moment. */
function Waiting({ latest }: { readonly latest: string | undefined }) {
  const { connection } = useStatus();
  const last = useWatch(lastRecorded);
  const left = useSecondsUntil(last?.receipt.id === latest ? last?.until : undefined);
  return (
    <Step tick="wait" title={whereWord('where.notServer')}>
      {left > 0
        ? whereWord('where.notServerUndo', { wait: span(left * 1000) })
        : whereWord(connection === 'online' ? 'where.notServerOn' : 'where.notServerOff')}
    </Step>
  );
}

interface OfficeStepProps {
  readonly office: TickState;
  /** Recorded in shadow: the office never gets it. */
  readonly isTrial: boolean;
  /** A file that the stop names is not at the server. */
  readonly lacksFile: boolean;
  readonly isParked: boolean;
  readonly states: readonly ReceiptState[];
  readonly hosted: number | undefined;
}

function OfficeStep({ office, isTrial, lacksFile, isParked, states, hosted }: OfficeStepProps) {
  const refused = states.find((state) => state.at === 'quarantined');
  if (office === 'yes')
    return (
      <Step tick="yes" title={whereWord('where.office')}>
        {lacksFile
          ? whereWord('where.officeFile')
          : hosted === undefined
            ? whereWord('where.officePlain')
            : whereWord('where.officeWhy', { time: sinceTime(hosted, Date.now()) })}
      </Step>
    );
  if (refused?.at === 'quarantined')
    return (
      <Step tick="look" title={whereWord('where.look')}>
        {refused.dismissed === undefined ? (
          <>
            {reviewSentence(refused.code)} {whereWord('where.lookSaid', { why: refused.reason })}
          </>
        ) : (
          whereWord('where.lookDone', { why: refused.dismissed })
        )}
      </Step>
    );
  if (isParked)
    return (
      <Step tick="look" title={whereWord('where.look')}>
        {whereWord('where.parked')}
      </Step>
    );
  if (isTrial)
    return (
      <Step tick="wait" title={whereWord('where.trial')}>
        {whereWord('where.trialWhy')}
      </Step>
    );
  return (
    <Step tick="wait" title={whereWord('where.notOffice')}>
      {whereWord('where.notOfficeWhy')}
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
