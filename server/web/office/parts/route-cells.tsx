import { Chip } from '../../ui/parts/chip.tsx';
import type { RouteRow } from '../model/route-row.ts';
import { isSilent, latenessOf, progressOf } from '../model/route-row.ts';
import { span, t } from '../words/words.ts';
import { Moment } from './moment.tsx';
import { ProgressLine } from './progress.tsx';

const minuteMs = 60_000;

/** The columns of the list of routes. */
export const routeColumns = (now: number) => [
  {
    head: t('routes.route'),
    cell: ({ facility, route_id, name, progress }: RouteRow) => (
      <>
        <strong>
          {route_id} {name}
        </strong>
        <span className="sub">
          {facility} · {t('routes.stops', { n: progress.length })}
        </span>
      </>
    ),
  },
  { head: t('routes.drivers'), cell: (row: RouteRow) => <Drivers row={row} /> },
  {
    head: t('routes.progress'),
    cell: ({ progress }: RouteRow) => {
      const { stops, done } = progressOf(progress);
      return (
        <span className="prog-cell">
          <ProgressLine letters={progress} />
          <span>{t('routes.done', { done, stops })}</span>
        </span>
      );
    },
  },
  { head: t('routes.exceptions'), cell: (row: RouteRow) => <Exceptions row={row} /> },
  { head: t('routes.time'), cell: (row: RouteRow) => <Lateness row={row} /> },
  { head: t('routes.heard'), cell: (row: RouteRow) => <Heard row={row} now={now} /> },
  { head: t('routes.pending'), cell: (row: RouteRow) => <Pending row={row} /> },
  { head: t('routes.host'), cell: (row: RouteRow) => <AtHost row={row} /> },
];

const driverNames = ({ drivers }: RouteRow): string[] => drivers.map(({ name, employee }) => name || employee);

function Drivers({ row }: { readonly row: RouteRow }) {
  const [first, ...others] = driverNames(row);
  if (first === undefined) return <span className="small">{t('routes.noDriver')}</span>;
  return (
    <>
      {first}
      {others.length > 0 && <span className="sub">{t('routes.with', { names: others.join(', ') })}</span>}
    </>
  );
}

function Exceptions({ row: { exceptions, progress, missing_files: files } }: { readonly row: RouteRow }) {
  const { skipped, refused } = progressOf(progress);
  if (exceptions + skipped + refused + files === 0) return '–';
  return (
    <span className="chips">
      {exceptions > 0 && (
        <Chip icon="warn" tone="warn">
          {t('routes.lines', { n: exceptions })}
        </Chip>
      )}
      {skipped > 0 && <Chip icon="x">{t('routes.skipped', { n: skipped })}</Chip>}
      {refused > 0 && <Chip icon="x">{t('routes.refusedAtDoor', { n: refused })}</Chip>}
      {files > 0 && (
        <Chip icon="cam" tone="warn">
          {t('routes.missing', { n: files })}
        </Chip>
      )}
    </span>
  );
}

function Lateness({ row }: { readonly row: RouteRow }) {
  const { status, closed_at: closed, arrived, late_minutes: minutes } = row;
  if (status === 'C')
    return (
      <>
        {t('routes.closedAt')} {closed !== null && <Moment at={closed} of={row} inRow />}
      </>
    );
  if (arrived) return t('routes.back');
  const kind = latenessOf(row);
  const amount = span(Math.abs(minutes ?? 0) * minuteMs);
  if (kind === 'late')
    return (
      <Chip icon="clock" tone="warn">
        {t('routes.late', { span: amount })}
      </Chip>
    );
  if (kind === 'unknown') return '–';
  return kind === 'early' ? t('routes.early', { span: amount }) : t('routes.onTime');
}

function Heard({ row, now }: { readonly row: RouteRow; readonly now: number }) {
  const { last_heard_at: at } = row;
  if (at === null) return <span className="small">{t('routes.never')}</span>;
  const age = now - Date.parse(at);
  // Phones report to the minute.
  const words = age < 2 * minuteMs ? t('routes.now') : t('routes.ago', { span: span(age) });
  const moment = <Moment at={at} of={row} inRow words={words} />;
  return isSilent(row, now) ? (
    <Chip icon="off" tone="bad">
      {moment}
    </Chip>
  ) : (
    moment
  );
}

function Pending({ row }: { readonly row: RouteRow }) {
  if (row.pending === 0) return t('routes.nothing');
  return (
    <>
      {t('routes.changes', { n: row.pending })}
      {row.oldest_pending_at !== null && (
        <span className="sub">
          {t('routes.since')} <Moment at={row.oldest_pending_at} of={row} inRow />
        </span>
      )}
    </>
  );
}

function AtHost({ row: { parked, on_host, version, hosted_through: hosted } }: { readonly row: RouteRow }) {
  if (parked > 0)
    return (
      <Chip icon="x" tone="bad">
        {t('routes.parked', { n: parked })}
      </Chip>
    );
  return on_host ? t('routes.hasAll') : t('routes.behind', { n: Math.max(1, version - hosted) });
}

/** The columns of its CSV. */
export const routeExport = () => [
  { head: 'facility', text: ({ facility }: RouteRow) => facility },
  { head: t('routes.route'), text: ({ route_id }: RouteRow) => route_id },
  { head: 'week_end', text: ({ week_end }: RouteRow) => week_end },
  { head: 'name', text: ({ name }: RouteRow) => name },
  { head: t('routes.date'), text: ({ dispatched_on }: RouteRow) => dispatched_on },
  { head: t('routes.drivers'), text: (row: RouteRow) => driverNames(row).join(', ') },
  { head: t('routes.progress'), text: ({ progress }: RouteRow) => progress },
  { head: t('routes.exceptions'), text: ({ exceptions }: RouteRow) => exceptions },
  { head: 'missing_files', text: ({ missing_files }: RouteRow) => missing_files },
  { head: 'late_minutes', text: ({ late_minutes }: RouteRow) => late_minutes },
  { head: t('routes.heard'), text: ({ last_heard_at }: RouteRow) => last_heard_at },
  { head: t('routes.pending'), text: ({ pending }: RouteRow) => pending },
  { head: t('routes.parked', { n: 2 }).replace(/^2 /, ''), text: ({ parked }: RouteRow) => parked },
  { head: t('routes.closedAt'), text: ({ closed_at }: RouteRow) => closed_at },
];
