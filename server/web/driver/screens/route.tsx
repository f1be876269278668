import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useCodes, useRoute, useRouteState, useWatch } from '@tailgate/client-sdk/react';
import { memo, useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { links } from '../links.ts';
import { metresTo } from '../model/distance.ts';
import { draftOf, isBegun } from '../model/draft.ts';
import { tallyOf } from '../model/lines.ts';
import type { Order } from '../model/order.ts';
import { isPending, orderOf, warehouse } from '../model/order.ts';
import { addressLine, outcomeLine, planLine } from '../words/sentences.ts';
import { CallAndMap } from '../parts/call-and-map.tsx';
import { DriverTabs } from '../parts/driver-tabs.tsx';
import { PhoneNotes } from '../parts/phone-notes.tsx';
import { LoadLink } from '../parts/load-link.tsx';
import { Segments } from '../parts/segments.tsx';
import { ReviewChip, StopTicks } from '../parts/stop-ticks.tsx';
import { TopLine } from '../parts/top-line.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';
import { askPositionIfPermitted, position } from '../position.ts';
import { distance, i18n, t } from '../words/words.ts';

/** Stops of a list that show at once; the others come with a tap. */
const firstLater = 2;
const firstDone = 6;
/** The same once all customers are done: the driver looks back. */
const firstDoneAtEnd = 30;

/** The route: the next stop first, then the others, then the finished ones with their ticks. */
export function RouteScreen() {
  const route = useRoute();
  const state = useRouteState();
  if (!route) return <NoRoute isLoading={state === 'loading'} />;
  return <RouteList route={route} />;
}

function RouteList({ route }: { readonly route: LocalRoute }) {
  const order = orderOf(route);
  const { next } = order;
  return (
    <Screen
      title={`${route.id} ${route.name}`}
      top={<TopLine />}
      foot={
        <>
          <UndoBar at={links.route} />
          {next && (
            <Gate
              overTabs
              act={next.id === warehouse ? t('route.warehouse') : t('route.open', { n: next.id })}
              href={next.id === warehouse ? links.close : links.stop(next.id)}
            />
          )}
          <DriverTabs current={links.route} />
        </>
      }
    >
      <header className="route-head">
        <h1 className="h2">
          <span className="muted">{route.id}</span> {route.name}
        </h1>
        <Segments route={route} next={next?.id} label={progressOf(order)} />
        <p className="cap mt">{progressOf(order)}</p>
        {route.withdrawn && <p className="banner warn mt">{t('route.withdrawn')}</p>}
        {route.status === 'C' && <p className="banner info mt">{t('route.closed')}</p>}
      </header>
      <div className="pad-x notes">
        <PhoneNotes />
      </div>
      {order.finished === 0 && <LoadLink route={route} />}
      {next && next.id !== warehouse && <NextStop stop={next} />}
      <Later order={order} />
      <Done order={order} />
      {order.finished > 0 && <LoadLink route={route} />}
      <p className="pad">
        <a className="btn btn-link" href={links.display}>
          {t('display.open')}
        </a>
      </p>
    </Screen>
  );
}

const progressOf = ({ finished, total, excepted }: Order): string =>
  [t('route.progress', { a: finished, b: total }), excepted > 0 ? t('route.progressSkipped', { n: excepted }) : '']
    .filter(Boolean)
    .join(', ');

function NextStop({ stop }: { readonly stop: LocalStop }) {
  const draft = draftOf(stop.draft);
  const metres = metresTo(stop, useWatch(position), Date.now());
  const away = metres === undefined ? '' : distance(metres);
  useEffect(() => void askPositionIfPermitted(), [stop.id]);
  const { planned, toScan, toCollect } = tallyOf(stop, draft);
  return (
    <section className="card next" aria-label={t('route.nextLabel')}>
      <div className="over">
        <b>{t('route.next', { n: stop.id })}</b>
        <span>
          {[stop.eta === '' ? '' : `${stop.eta.slice(0, 2)}:${stop.eta.slice(2, 4)}`, away].filter(Boolean).join(' · ')}
        </span>
      </div>
      <h2>{stop.customer.name}</h2>
      <p>{addressLine(stop)}</p>
      <div className="facts">
        {planned > 0 && <Chip icon="box">{t('count.pieces', { n: planned })}</Chip>}
        {toScan > 0 && <Chip icon="scan">{t('route.scan', { n: toScan })}</Chip>}
        {toCollect > 0 && <Chip icon="undo">{t('route.collect', { n: toCollect })}</Chip>}
        <ReviewChip stop={stop} />
        {isBegun(draft) && <Chip icon="pen">{t('route.begun')}</Chip>}
      </div>
      <CallAndMap customer={stop.customer} />
    </section>
  );
}

function Later({ order }: { readonly order: Order }) {
  const [isWhole, setWhole] = useState(false);
  const { later, home, next } = order;
  const withHome = home !== undefined && home !== next;
  if (later.length === 0 && !withHome) return null;
  const shown = isWhole || later.length <= firstLater + 1 ? later : later.slice(0, firstLater);
  const hidden = later.length - shown.length;
  return (
    <>
      <div className="list-head">
        <h2>{t('route.then')}</h2>
        <span>{t('route.toGo', { n: later.length })}</span>
      </div>
      <ul className="stops" key={i18n.language()}>
        {shown.map((stop) => (
          <StopRow key={stop.id} stop={stop} />
        ))}
        {hidden === 0 && withHome && <StopRow key={home.id} stop={home} />}
        {hidden > 0 && (
          <li className="stop more">
            <button type="button" className="btn btn-quiet btn-wide" onClick={() => setWhole(true)}>
              {t(withHome ? 'route.showAll' : 'route.show', { n: hidden })} <Icon name="down" />
            </button>
          </li>
        )}
      </ul>
    </>
  );
}

function Done({ order }: { readonly order: Order }) {
  const [isWhole, setWhole] = useState(false);
  const { done } = order;
  if (done.length === 0) return null;
  const first = order.finished === order.total ? firstDoneAtEnd : firstDone;
  const shown = isWhole ? done : done.slice(0, first);
  return (
    <>
      <div className="list-head">
        <h2>{t('route.done')}</h2>
        <span>{t('route.places')}</span>
      </div>
      <ul className="stops" key={i18n.language()}>
        {shown.map((stop) => (
          <StopRow key={stop.id} stop={stop} />
        ))}
        {shown.length < done.length && (
          <li className="stop more">
            <button type="button" className="btn btn-quiet btn-wide" onClick={() => setWhole(true)}>
              {t('route.showDone', { n: done.length - shown.length })} <Icon name="down" />
            </button>
          </li>
        )}
      </ul>
    </>
  );
}

/** Rendered again only when its stop changes; the list has the language as its key. */
const StopRow = memo(({ stop }: { readonly stop: LocalStop }) => {
  const credit = useCodes('credit-reason');
  const exceptions = useCodes('stop-exception');
  const isOpen = isPending(stop);
  const isHome = stop.id === warehouse;
  return (
    <li className="stop">
      <a href={isHome ? links.close : links.stop(stop.id)}>
        <StopMark stop={stop} />
        <span>
          <span className="name">
            <span className="sr">{t('route.stopNumber', { n: stop.id })} </span>
            {isHome ? t('route.home') : isOpen ? stop.customer.name : `${stop.id} ${stop.customer.name}`}
          </span>
          <span className="sub">{isOpen ? planLine(stop) : outcomeLine(stop, { credit, exceptions })}</span>
        </span>
      </a>
      {isOpen && stop.unseen.length > 0 && (
        <Chip icon="pen" tone="info">
          {t('route.officeEdit')}
        </Chip>
      )}
      {isOpen && <ReviewChip stop={stop} />}
      {isOpen && isBegun(draftOf(stop.draft)) && <Chip icon="pen">{t('route.begun')}</Chip>}
      {!isOpen && <StopTicks stop={stop} />}
    </li>
  );
});

/** Number, tick, dashed cross or square: the shape shows the result of the stop. */
function StopMark({ stop }: { readonly stop: LocalStop }) {
  const { status } = stop.updates;
  if (status === 'D' || status === 'C')
    return (
      <span className="no d">
        <Icon name="check" />
      </span>
    );
  if (status === 'S' || status === 'R')
    return (
      <span className={status === 'S' ? 'no s' : 'no r'}>
        <Icon name="x" />
      </span>
    );
  if (stop.id === warehouse)
    return (
      <span className="no w">
        <Icon name="home" />
      </span>
    );
  return <span className="no">{stop.id}</span>;
}

function NoRoute({ isLoading }: { readonly isLoading: boolean }) {
  return (
    <Screen title={t('tab.route')} top={<TopLine />} foot={<DriverTabs current={links.route} />}>
      <div className="empty">
        <Icon name="route" />
        <h1>{t(isLoading ? 'route.loading' : 'route.none')}</h1>
        <p>{t(isLoading ? 'route.loadingWhy' : 'route.noneWhy')}</p>
        <a className="btn btn-link" href={links.display}>
          {t('display.open')}
        </a>
      </div>
    </Screen>
  );
}
