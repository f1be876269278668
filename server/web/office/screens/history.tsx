import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import type { HistoryEntry } from '../model/stop-record.ts';
import { entriesOf, stateAt } from '../model/stop-record.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { TablePanel } from '../parts/table-panel.tsx';
import { ownZone, timeIn } from '../words/times.ts';
import { t } from '../words/words.ts';

type StopRecord = DataOf<'readStopHistory'>;

/** The record of a stop (B5): who, when by which clock, from where, before and after. With a moment: the stop as it was (B14). */
export function HistoryScreen({ stop, moment }: { readonly stop: StopKey; readonly moment?: string | undefined }) {
  const { data, fault } = useRead('readStopHistory', { query: stop });
  const { facility, route_id: route, week_end: week, stop_id: n } = stop;
  const entries = data ? entriesOf(data.mutations).toReversed() : [];
  return (
    <Page
      title={t('history.title', { n, route })}
      lead={data && t('history.lead', { facility, week, status: data.status, version: data.version })}
    >
      <FaultNote fault={fault} />
      {data && (
        <div className="cols two-one">
          <div>
            <div className="panel scrolls">
              <div className="panel-head">
                <h2>{t('history.entries', { n: entries.length })}</h2>
                <Chain stop={stop} />
              </div>
              <Table
                caption={t('history.caption')}
                rows={entries}
                keyOf={({ mutation }) => `${mutation.id} ${mutation.version}`}
                hrefOf={({ mutation }) => links.history(stop, mutation.id)}
                lookOf={({ mutation }) => (mutation.id === moment ? 'sel' : undefined)}
                columns={columns()}
              />
            </div>
            {moment !== undefined && <AsItWas data={data} moment={moment} />}
          </div>
          <Beside data={data} />
        </div>
      )}
    </Page>
  );
}

const columns = () => [
  {
    head: t('history.when'),
    cell: ({ mutation: { received_at, captured_at } }: HistoryEntry) => (
      <>
        <Moment at={received_at} form="exact" inRow />
        {captured_at !== null && (
          <span className="sub">
            {t('history.phoneClock', { time: timeIn(Date.parse(captured_at), ownZone, Date.now(), 'exact') })}
          </span>
        )}
      </>
    ),
  },
  {
    head: t('history.who'),
    cell: ({ mutation: { employee, employee_name: name } }: HistoryEntry) => (
      <>
        {name || employee}
        {name !== '' && <span className="sub">{employee}</span>}
      </>
    ),
  },
  {
    head: t('history.from'),
    cell: ({ mutation: { source, device } }: HistoryEntry) => (
      <>
        {t(`history.source.${source}`)}
        {device !== '' && <span className="sub">{device}</span>}
      </>
    ),
  },
  {
    head: t('history.what'),
    cell: ({ changes }: HistoryEntry) => (
      <ul>
        {changes.map(({ field, before, after }) => (
          <li key={field} className="diff">
            <span className="small">{field}</span>
            {before !== undefined && <del>{before || t('history.blank')}</del>}
            {before !== undefined && <Icon name="arrow" small />}
            <ins>{after || t('history.blank')}</ins>
          </li>
        ))}
      </ul>
    ),
  },
  { head: t('history.became'), cell: ({ mutation }: HistoryEntry) => <Became mutation={mutation} /> },
];

function Became({ mutation: { result, on_host, warnings } }: Pick<HistoryEntry, 'mutation'>) {
  const words = t(on_host ? 'history.onHost' : result === 'applied' ? 'history.applied' : 'history.duplicate');
  return (
    <span className="chips">
      <Chip icon="check" tone={on_host ? 'go' : 'plain'}>
        {words}
      </Chip>
      {warnings.map(({ code, message }) => (
        <Chip key={`${code} ${message}`} icon="warn" tone="warn">
          {message}
        </Chip>
      ))}
    </span>
  );
}

/** Whether the devices' seals show every entry unaltered and none missing. */
function Chain({ stop }: { readonly stop: StopKey }) {
  const { data } = useRead('verifyStopHistory', { query: stop });
  if (!data) return null;
  const tone = data.whole ? 'go' : data.intact ? 'plain' : 'bad';
  const words = t(data.whole ? 'history.chainWhole' : data.intact ? 'history.chainIntact' : 'history.chainBroken');
  return (
    <Chip icon={data.intact ? 'check' : 'warn'} tone={tone}>
      {words}
    </Chip>
  );
}

function AsItWas({ data, moment }: { readonly data: StopRecord; readonly moment: string }) {
  const chosen = data.mutations.find(({ id }) => id === moment);
  if (!chosen) return null;
  const state = [...stateAt(data.mutations, moment)];
  return (
    <TablePanel
      title={t('history.momentOf', { time: timeIn(Date.parse(chosen.received_at), ownZone, Date.now(), 'exact') })}
      beside={<span className="small">{t('history.momentNote')}</span>}
    >
      <Table
        caption={t('history.moment')}
        rows={state}
        keyOf={([field]) => field}
        columns={[
          { head: t('history.field'), cell: ([field]) => field },
          { head: t('history.value'), cell: ([, value]) => value || t('history.blank') },
        ]}
      />
    </TablePanel>
  );
}

function Beside({ data: { host, files, mails } }: { readonly data: StopRecord }) {
  return (
    <div>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('history.host')}</h2>
        </div>
        <dl className="kv panel-body">
          <dt>{t('history.trace')}</dt>
          <dd className="mono">{host.trace || '–'}</dd>
          <dt>{t('history.confirmed')}</dt>
          <dd>{host.confirmed_at === null ? t('history.notYet') : <Moment at={host.confirmed_at} form="exact" />}</dd>
          <dt>{t('history.sequence')}</dt>
          <dd className="mono">{host.sequence ?? '–'}</dd>
          {host.parked_since !== null && (
            <>
              <dt>{t('history.parked')}</dt>
              <dd>
                <Moment at={host.parked_since} form="exact" /> {host.parked_reason}
              </dd>
            </>
          )}
        </dl>
      </div>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('history.files')}</h2>
        </div>
        <ul className="panel-body">
          {files.length === 0 && <li>{t('history.noFiles')}</li>}
          {files.map(({ asset_id, state, mime }) => (
            <li key={asset_id}>
              {mime || asset_id} <span className="small">{t(`history.file.${state}`)}</span>
            </li>
          ))}
        </ul>
      </div>
      <div className="panel">
        <div className="panel-head">
          <h2>{t('history.mails')}</h2>
        </div>
        <ul className="panel-body">
          {mails.length === 0 && <li>{t('history.noMails')}</li>}
          {mails.map(({ mutation_id, sent_at }) => (
            <li key={mutation_id}>
              <Moment at={sent_at} form="exact" />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
