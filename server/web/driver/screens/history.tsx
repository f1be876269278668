import type { LocalStop } from '@tailgate/client-sdk';
import { useCodes, useRoute } from '@tailgate/client-sdk/react';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Marks } from '../../ui/parts/ticks.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { isCounted } from '../model/lines.ts';
import { isPending } from '../model/order.ts';
import { ticksOf } from '../model/ticks.ts';
import { tickWord, useReceipts } from '../parts/stop-ticks.tsx';
import { fieldName, valueWord } from '../words/news-sentences.ts';
import { deliveredWord, outcomeLine } from '../words/sentences.ts';
import { moment, t } from '../words/words.ts';

/** The present record of a stop, its changes from the latest, and the office's edits. */
export function HistorySheet({ stop: id }: { readonly stop: number }) {
  const stop = useRoute()?.stops.find((each) => each.id === id);
  if (!stop) return null;
  return (
    <Sheet
      title={t('history.title', { n: id })}
      over={stop.customer.name}
      closeLabel={t('app.close')}
      onClose={() => goBack(links.stop(id))}
    >
      {!isPending(stop) && <Result stop={stop} />}
      {stop.receipts.length === 0 && stop.amended.length === 0 && <p>{t('history.empty')}</p>}
      <ul className="filelist">
        {stop.receipts.toReversed().map((receipt) => (
          <Entry key={receipt} id={receipt} />
        ))}
        {stop.amended.map(({ path, value, by, at }) => (
          <li key={path}>
            <span>
              {t('history.office', {
                what: fieldName(stop, path),
                value: valueWord(path, value),
                by,
                time: moment(at, Date.now()),
              })}
            </span>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Result({ stop }: { readonly stop: LocalStop }) {
  const credit = useCodes('credit-reason');
  const exceptions = useCodes('stop-exception');
  return (
    <p>
      {isCounted(stop) && <strong>{deliveredWord(stop)}</strong>} {outcomeLine(stop, { credit, exceptions })}
    </p>
  );
}

function Entry({ id }: { readonly id: string }) {
  const states = useReceipts([id]);
  const row = ticksOf(states);
  const [state] = states;
  const at = state && 'recordedAt' in state ? state.recordedAt : undefined;
  if (!row) return null;
  return (
    <li>
      <span>
        {t('history.mine', { time: at === undefined ? '' : moment(at, Date.now()) })} · {tickWord(row)}
        <span className="cap">
          {t('history.trace')} <span className="mono">{id}</span>
        </span>
      </span>
      <Marks states={[row.phone, row.server, row.office]} label={tickWord(row)} />
    </li>
  );
}
