import type { ReactNode } from 'react';
import { Tick } from '../../ui/parts/ticks.tsx';
import { useRead } from '../api/reads.ts';
import type { Reading } from '../api/reads.ts';
import type { StopKey } from '../links.ts';
import { links } from '../links.ts';
import { warehouse } from '../model/route-row.ts';
import type { StopView } from '../model/stop-ticks.ts';
import { ticksOf } from '../model/stop-ticks.ts';
import { t } from '../words/words.ts';
import { Moment } from './moment.tsx';
import { Page } from './page.tsx';

interface StopFrameProps {
  readonly stop: StopKey;
  readonly reading: Reading<StopView>;
  readonly page: 'plan' | 'history' | 'columns';
  readonly children: ReactNode;
}

export const useStopView = ({ facility, route_id, week_end, stop_id }: StopKey): Reading<StopView> =>
  useRead('readOpsStop', { params: { facility, route_id, week_end, stop_id } });

/** The frame of the pages of a stop: whose it is, how far it has come, and its pages. */
export function StopFrame({ stop, reading: { data }, page, children }: StopFrameProps) {
  const { route_id: route, stop_id: n } = stop;
  const pages = [
    { is: 'plan', href: links.stop(stop), text: t('stop.plan') },
    { is: 'history', href: links.history(stop), text: t('stop.history') },
    { is: 'columns', href: links.comparison(stop), text: t('stop.columns') },
  ];
  const name = n === warehouse ? t('route.warehouse') : (data?.customer.name ?? route);
  return (
    <Page
      title={t('stop.title', { n, name })}
      lead={data && <Lead view={data} />}
      crumbs={[
        { href: links.routes, text: t('nav.routes') },
        { href: links.route(stop), text: `${route} ${data?.route_name ?? ''}`.trim() },
      ]}
      beside={data && <ThreeTicks view={data} />}
    >
      <nav className="subnav" aria-label={t('stop.pages')}>
        {pages.map(({ is, href, text }) => (
          <a key={is} href={href} aria-current={is === page ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {children}
    </Page>
  );
}

function Lead({ view: { customer, summary, times } }: { readonly view: StopView }) {
  const { address, city, state, zip } = customer.location;
  const where = [...address, city, `${state} ${zip}`.trim()].filter((each) => each !== '').join(', ');
  const { status, status_by: by, status_by_name: name } = summary;
  return (
    <>
      <a href={links.search(customer.id)}>{customer.id}</a>
      {where !== '' && ` · ${where}`}
      {customer.contact.phone !== '' && ` · ${customer.contact.phone}`} · {t(`route.status.${status}`)}
      {by !== null && (
        <>
          {' '}
          <a href={links.search(by)}>{t('stop.by', { name: name || by })}</a>
        </>
      )}
      {times.status && (
        <>
          {', '}
          <Moment at={times.status.utc} of={summary} />
        </>
      )}
    </>
  );
}

/** Why the latest change has no tick of a phone. */
const withoutPhone = (receipts: StopView['receipts']) => {
  if (!receipts) return 'stop.nothing';
  return receipts.source === 'office' ? 'stop.byOffice' : 'stop.noPhone';
};

/** Phone, server, back office: each with the time of its evidence. */
function ThreeTicks({ view }: { readonly view: StopView }) {
  const { receipts, summary, host } = view;
  const [phone, server, office] = ticksOf(view);
  const at = (time: string | null | undefined, without: string): ReactNode =>
    time === null || time === undefined ? without : <Moment at={time} of={summary} form="exact" />;
  const isRefused = office === 'look';
  return (
    <div className="legend-row">
      <div className="where">
        <Tick state={phone} />
        <span>
          <strong>{t('stop.phone')}</strong>
          <small>{at(receipts?.phone_at, t(withoutPhone(receipts)))}</small>
        </span>
      </div>
      <div className="where">
        <Tick state={server} />
        <span>
          <strong>{t('stop.server')}</strong>
          <small>
            {at(receipts?.server_at, t('stop.nothing'))}
            {summary.missing_files > 0 && `, ${t('stop.awaits', { n: summary.missing_files })}`}
          </small>
        </span>
      </div>
      <div className="where">
        <Tick state={office} />
        <span>
          <strong>{t('stop.host')}</strong>
          <small>
            {isRefused && `${t('stop.refusedSince')} `}
            {at(
              isRefused ? host.parked_since : office === 'yes' ? (receipts?.host_at ?? host.confirmed_at) : null,
              t(receipts ? 'stop.notYet' : 'stop.nothing'),
            )}
          </small>
        </span>
      </div>
    </div>
  );
}
