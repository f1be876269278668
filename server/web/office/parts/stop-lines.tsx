import type { StopLine } from '../model/stop-lines.ts';
import { differenceOf, differentFirst, isOff, lineKey, standingLines, totalsOf } from '../model/stop-lines.ts';
import type { StopView } from '../model/stop-ticks.ts';
import { reasonText, t } from '../words/words.ts';
import { ExportRows } from './exports.tsx';
import { Table } from './table.tsx';

/** Plan against result: lines that differ first, then the totals. */
export function StopLines({ view: { lines: recorded, summary } }: { readonly view: StopView }) {
  const lines = standingLines(recorded, summary.status);
  const shown = differentFirst(lines);
  const { route_id, stop_id } = summary;
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('stop.plan')}</h2>
        <span className="small">{summary.invoices.map((n) => t('stop.invoice', { n })).join(', ')}</span>
        <div className="acts">
          <ExportRows pages={() => [lines]} file={`${route_id}-${stop_id}`} columns={exported()} />
        </div>
      </div>
      {lines.length === 0 ? (
        <p className="panel-body small">{t('stop.noLines')}</p>
      ) : (
        <div className="scrolls" role="group" aria-label={t('stop.plan')} tabIndex={0}>
          <Table
            caption={t('stop.caption')}
            rows={shown}
            keyOf={lineKey}
            lookOf={(line) => (isOff(line) ? 'off' : undefined)}
            columns={columns()}
          />
          <Totals lines={lines} />
        </div>
      )}
    </div>
  );
}

const signed = (n: number): string => (n < 0 ? `−${-n}` : n > 0 ? `+${n}` : '–');

const columns = () => [
  {
    head: t('stop.item'),
    cell: ({ id, name, description, invoice }: StopLine) => (
      <>
        {name || description || id}
        <span className="sub">
          {id}
          {invoice !== '' && ` · ${invoice}`}
        </span>
      </>
    ),
  },
  {
    head: t('stop.section'),
    cell: ({ section, container_type: type, kind, planned }: StopLine) => (
      <>
        {[section, type].filter((each) => each !== '').join(' · ')}
        {kind === 'collection' && <span className="sub">{t('stop.collect')}</span>}
        {planned === null && <span className="sub">{t('stop.notPlanned')}</span>}
      </>
    ),
  },
  { head: t('stop.planned'), cell: ({ planned }: StopLine) => planned ?? '–', isNumber: true },
  { head: t('stop.delivered'), cell: ({ delivered }: StopLine) => <strong>{delivered ?? '–'}</strong>, isNumber: true },
  {
    head: t('stop.difference'),
    cell: (line: StopLine) => {
      const difference = differenceOf(line);
      return difference === null ? '' : <strong>{signed(difference)}</strong>;
    },
    isNumber: true,
  },
  { head: t('stop.returned'), cell: ({ returned }: StopLine) => returned ?? '–', isNumber: true },
  { head: t('stop.reason'), cell: (line: StopLine) => <Reasons line={line} /> },
];

function Reasons({ line: { exceptions, photos } }: { readonly line: StopLine }) {
  return (
    <>
      {exceptions.map(({ code, meaning, quantity, comment }, place) => (
        <span key={place} className="reason">
          {quantity} × {reasonText(code, meaning)}
          {comment !== '' && <span className="sub">{t('stop.quoted', { text: comment })}</span>}
        </span>
      ))}
      {photos.length > 0 && <span className="sub">{t('stop.photoCount', { n: photos.length })}</span>}
    </>
  );
}

function Totals({ lines }: { readonly lines: readonly StopLine[] }) {
  const { planned, delivered, difference, exceptions, returned } = totalsOf(lines);
  return (
    <div className="totals">
      <span>
        <b>{planned}</b> {t('stop.totalPlanned')}
      </span>
      <span>
        <b>{delivered}</b> {t('stop.totalDelivered')}
      </span>
      <span>
        <b>{signed(difference)}</b> {t('stop.totalDifference')}
      </span>
      <span>
        <b>{exceptions}</b> {t('stop.totalExceptions', { n: exceptions })}
      </span>
      <span>
        <b>{returned}</b> {t('stop.totalReturned')}
      </span>
    </div>
  );
}

/** Items that are not on the manifest. */
export function Overage({ items }: { readonly items: StopView['overage'] }) {
  if (items.length === 0) return null;
  return (
    <div className="panel">
      <div className="panel-head">
        <h2>{t('stop.overage')}</h2>
      </div>
      <Table
        caption={t('stop.overage')}
        rows={items}
        // Two overages can have one barcode and one code.
        keyOf={(item) => String(items.indexOf(item))}
        columns={[
          { head: t('stop.barcode'), cell: ({ barcode }) => <span className="mono">{barcode || '–'}</span> },
          { head: t('stop.quantity'), cell: ({ quantity }) => quantity, isNumber: true },
          {
            head: t('stop.reason'),
            cell: ({ code, meaning, comment }) => (
              <>
                {reasonText(code, meaning)}
                {comment !== '' && <span className="sub">{t('stop.quoted', { text: comment })}</span>}
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

const exported = () => [
  { head: 'kind', text: ({ kind }: StopLine) => kind },
  { head: t('stop.item'), text: ({ id }: StopLine) => id },
  { head: 'name', text: ({ name }: StopLine) => name },
  { head: 'invoice', text: ({ invoice }: StopLine) => invoice },
  { head: t('stop.section'), text: ({ section }: StopLine) => section },
  { head: t('stop.planned'), text: ({ planned }: StopLine) => planned },
  { head: t('stop.delivered'), text: ({ delivered }: StopLine) => delivered },
  { head: t('stop.difference'), text: (line: StopLine) => differenceOf(line) },
  { head: t('stop.returned'), text: ({ returned }: StopLine) => returned },
  {
    head: t('stop.reason'),
    text: ({ exceptions }: StopLine) =>
      exceptions
        .map(({ quantity, code, meaning, comment }) => `${quantity} x ${code} ${meaning} ${comment}`.trim())
        .join('; '),
  },
];
