import { recordedField } from '@tailgate/sync-protocol';
import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import type { DataOf } from '../api/operations.ts';
import { useRead } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import type { HistoryEntry } from '../model/stop-record.ts';
import { entriesOf, stateAt } from '../model/stop-record.ts';
import type { StopView } from '../model/stop-ticks.ts';
import { ExportRows } from '../parts/exports.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Moment } from '../parts/moment.tsx';
import type { StopNames } from '../parts/recorded-text.tsx';
import { fieldText, ValueText } from '../parts/recorded-text.tsx';
import { StopFrame, useStopView } from '../parts/stop-frame.tsx';
import { ToParked } from '../parts/to-parked.tsx';
import { Table } from '../parts/table.tsx';
import { TablePanel } from '../parts/table-panel.tsx';
import { atTime } from '../words/times.ts';
import { t } from '../words/words.ts';

type StopRecord = DataOf<'readStopHistory'>;

/** The record of a stop (B5): who, when by which clock, from where, before and after. With a moment: the stop as it was (B14). */
export function HistoryScreen({ stop, moment }: { readonly stop: StopKey; readonly moment?: string | undefined }) {
  const { data, fault } = useRead('readStopHistory', { query: stop });
  const view = useStopView(stop);
  const entries = data ? entriesOf(data.mutations).toReversed() : [];
  const names = namesOf(view.data);
  return (
    <StopFrame stop={stop} reading={view} page="history">
      <FaultNote fault={fault} />
      {data && (
        <div className="cols two-one">
          <div>
            <div className="panel scrolls">
              <div className="panel-head">
                <h2>{t('history.entries', { n: entries.length })}</h2>
                <Chain stop={stop} />
                <div className="acts">
                  <ExportRows
                    pages={() => [entries]}
                    file={`${stop.route_id}-${stop.stop_id}-history`}
                    columns={exported()}
                  />
                </div>
              </div>
              <Table
                caption={t('history.caption')}
                rows={entries}
                keyOf={({ mutation }) => `${mutation.id} ${mutation.version}`}
                hrefOf={({ mutation }) => links.history(stop, mutation.id)}
                lookOf={({ mutation }) => (mutation.id === moment ? 'sel' : undefined)}
                below={({ mutation }) =>
                  mutation.id === moment ? <AsItWas data={data} moment={moment} names={names} /> : undefined
                }
                columns={columns(stop, names)}
              />
            </div>
          </div>
          <Beside data={data} stop={stop} view={view.data} />
        </div>
      )}
    </StopFrame>
  );
}

const namesOf = (view: StopView | undefined): StopNames => ({
  items: new Map(view?.lines.map(({ id, name, description }) => [id, name || description])),
  meanings: new Map(view?.lines.flatMap(({ exceptions }) => exceptions.map(({ code, meaning }) => [code, meaning]))),
});

const columns = (stop: StopKey, names: StopNames) => [
  {
    head: t('history.when'),
    cell: ({ mutation: { received_at, captured_at } }: HistoryEntry) => (
      <>
        <Moment at={received_at} of={stop} form="exact" inRow />
        {captured_at !== null && (
          <span className="sub">
            {t('history.phoneClock')} <Moment at={captured_at} of={stop} form="exact" inRow />
          </span>
        )}
      </>
    ),
  },
  {
    head: t('history.who'),
    cell: ({ mutation: { employee, employee_name: name } }: HistoryEntry) => (
      <>
        <a href={links.search(employee)}>{name || employee}</a>
        {name !== '' && <span className="sub">{employee}</span>}
      </>
    ),
  },
  {
    head: t('history.from'),
    cell: ({ mutation: { source, device, client_id: queue } }: HistoryEntry) => (
      <>
        {queue === null ? (
          t(`history.source.${source}`)
        ) : (
          <a href={links.phone(queue)}>{t(`history.source.${source}`)}</a>
        )}
        {device !== '' && <span className="sub">{device}</span>}
      </>
    ),
  },
  {
    head: t('history.what'),
    cell: ({ changes, lost }: HistoryEntry) => (
      <ul>
        {changes.map(({ before, after, ...field }) => (
          <li key={recordedField(field)} className="diff">
            <span className="small">{fieldText(field, names)}</span>{' '}
            {before !== null && (
              <>
                <del>
                  <ValueText name={field.name} value={before} of={stop} names={names} />
                </del>{' '}
                <Icon name="arrow" small />{' '}
              </>
            )}
            <ins>
              <ValueText name={field.name} value={after} of={stop} names={names} />
            </ins>
          </li>
        ))}
        {lost.map(({ value, isSure, ...field }) => (
          <li key={[recordedField(field), isSure, value].join('\t')} className="diff">
            <span className="small">{fieldText(field, names)}</span>{' '}
            <del>
              <ValueText name={field.name} value={value} of={stop} names={names} />
            </del>{' '}
            <span className="small">{t(isSure ? 'history.lost' : 'history.unclear')}</span>
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

interface AsItWasProps {
  readonly data: StopRecord;
  readonly moment: string;
  readonly names: StopNames;
}

function AsItWas({ data, moment, names }: AsItWasProps) {
  const chosen = data.mutations.find(({ id }) => id === moment);
  if (!chosen) return null;
  return (
    <TablePanel
      title={t('history.momentOf', { time: atTime(Date.parse(chosen.received_at), data, 'exact') })}
      beside={<span className="small">{t('history.momentNote')}</span>}
    >
      <Table
        caption={t('history.moment')}
        rows={stateAt(data.mutations, moment)}
        keyOf={recordedField}
        columns={[
          { head: t('history.field'), cell: (value) => fieldText(value, names) },
          {
            head: t('history.value'),
            cell: ({ name, value }) => <ValueText name={name} value={value} of={data} names={names} />,
          },
        ]}
      />
    </TablePanel>
  );
}

interface BesideProps {
  readonly data: StopRecord;
  readonly stop: StopKey;
  readonly view: StopView | undefined;
}

function Beside({ data, stop, view }: BesideProps) {
  const { host, files, mails, kept } = data;
  const uses = new Map(view?.files.map(({ asset_id, use }) => [asset_id, t(`history.${use}`)]));
  return (
    <div>
      {kept.length > 0 && (
        <div className="panel">
          <div className="panel-head">
            <h2>{t('history.kept')}</h2>
          </div>
          <ul className="panel-body">
            {kept.map(({ quarantine_id, received_at, reason, state }) => (
              <li key={quarantine_id}>
                <a className="btn btn-link" href={links.kept(quarantine_id)}>
                  {t(`history.kept.${state}`)}
                </a>
                <Moment at={received_at} of={stop} form="exact" /> {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="panel">
        <div className="panel-head">
          <h2>{t('history.host')}</h2>
        </div>
        <dl className="kv panel-body">
          <dt>{t('history.trace')}</dt>
          <dd className="mono">{host.trace === '' ? '–' : <a href={links.search(host.trace)}>{host.trace}</a>}</dd>
          <dt>{t('history.confirmed')}</dt>
          <dd>
            {host.confirmed_at === null ? (
              t('history.notYet')
            ) : (
              <Moment at={host.confirmed_at} of={stop} form="exact" />
            )}
          </dd>
          <dt>{t('history.sequence')}</dt>
          <dd className="mono">{host.sequence ?? '–'}</dd>
          {host.parked_since !== null && (
            <>
              <dt>{t('history.parked')}</dt>
              <dd>
                <Moment at={host.parked_since} of={stop} form="exact" /> {host.parked_reason}
                {host.parked_id !== null && <ToParked id={host.parked_id} />}
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
          {files.map(({ asset_id, state, mime, sha256 }) => (
            <li key={asset_id}>
              {uses.get(asset_id)} <span className="small">{t(`history.file.${state}`)}</span>
              <span className="each small">{mime || asset_id}</span>
              {sha256 !== null && <span className="each breaks mono">SHA-256 {sha256}</span>}
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
              {t('stop.mailed')} <Moment at={sent_at} of={stop} form="exact" />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const exported = () => [
  { head: t('history.when'), text: ({ mutation }: HistoryEntry) => mutation.received_at },
  { head: 'captured_at', text: ({ mutation }: HistoryEntry) => mutation.captured_at },
  { head: t('history.who'), text: ({ mutation }: HistoryEntry) => mutation.employee },
  { head: t('history.from'), text: ({ mutation }: HistoryEntry) => mutation.source },
  {
    head: t('history.what'),
    text: ({ changes, lost }: HistoryEntry) =>
      [
        ...changes.map(({ before, after, ...field }) => `${recordedField(field)}: ${before ?? ''} → ${after}`),
        ...lost.map(
          ({ value, isSure, ...field }) =>
            `${recordedField(field)}: ${value} (${t(isSure ? 'history.lost' : 'history.unclear')})`,
        ),
      ].join('; '),
  },
  { head: t('history.became'), text: ({ mutation }: HistoryEntry) => mutation.result },
];
