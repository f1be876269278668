import { useRoute } from '@tailgate/client-sdk/react';
import { labelOf, spanish, english } from '@tailgate/client-sdk/labels';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { Marks } from '../../ui/parts/ticks.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { ticksOf } from '../model/ticks.ts';
import { tickWord, useReceipts } from '../parts/stop-ticks.tsx';
import { i18n, moment, t } from '../words/words.ts';

/** The records of a stop, the latest first, and the office's edits. */
export function HistorySheet({ stop: id }: { readonly stop: number }) {
  const stop = useRoute()?.stops.find((each) => each.id === id);
  if (!stop) return null;
  const labels = i18n.language() === 'es' ? spanish : english;
  return (
    <Sheet
      title={t('history.title', { n: id })}
      over={stop.customer.name}
      closeLabel={t('app.close')}
      onClose={() => goBack(links.stop(id))}
    >
      {stop.receipts.length === 0 && stop.amended.length === 0 && <p>{t('history.empty')}</p>}
      <ul className="filelist">
        {stop.receipts.toReversed().map((receipt) => (
          <Entry key={receipt} id={receipt} />
        ))}
        {stop.amended.map(({ path, value, by, at }) => (
          <li key={path}>
            <span>
              {t('history.office', {
                what: labelOf(path, labels),
                value: JSON.stringify(value ?? '–'),
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

function Entry({ id }: { readonly id: string }) {
  const states = useReceipts([id]);
  const row = ticksOf(states);
  const [state] = states;
  const at = state && 'recordedAt' in state ? state.recordedAt : undefined;
  if (!row) return null;
  return (
    <li>
      <span>
        {t('history.mine', { time: at === undefined ? '' : moment(at, Date.now()) })}
        <br />
        <span className="cap mono">{id}</span>
      </span>
      <Marks states={[row.phone, row.server, row.office]} label={tickWord(row)} />
    </li>
  );
}
