import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useRoute, useStatus } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { links } from '../links.ts';
import type { Closing } from '../model/closing.ts';
import { closeOf, closingOf } from '../model/closing.ts';
import { isUnsaved, unrated } from '../model/load-report.ts';
import { warehouse } from '../model/order.ts';
import { CallAndMap } from '../parts/call-and-map.tsx';
import { Countdown } from '../parts/countdown.tsx';
import { LoadForm, missingSections } from '../parts/load-form.tsx';
import { StopTicks } from '../parts/stop-ticks.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';
import { record } from '../recorded.ts';
import { useReports } from '../report-draft.ts';
import { useSaveReport } from '../save-report.ts';
import { loadWord } from '../words/load-words.ts';
import { moment, t, time } from '../words/words.ts';

/** The return to the warehouse: arrival, what is open, how the load travelled, and the close. */
export function CloseScreen() {
  const route = useRoute();
  const home = route?.stops.find(({ id }) => id === warehouse);
  if (!route || !home)
    return (
      <Screen
        title={t('route.home')}
        top={<Top back={links.route} backLabel={t('app.back')} title={t('route.home')} />}
      >
        <p className="pad">{loadWord('close.noHome')}</p>
      </Screen>
    );
  return <Return route={route} home={home} />;
}

interface ReturnProps {
  readonly route: LocalRoute;
  readonly home: LocalStop;
}

function Return({ route, home }: ReturnProps) {
  const closing = closingOf(route, home);
  const { faults, save } = useSaveReport(route, 'return');
  const [{ return: report }] = useReports();
  const { arrivedAt } = closing;
  const over = [
    t('route.stopNumber', { n: home.id }),
    ...(arrivedAt === undefined ? [] : [t('stop.arrived', { time: time(arrivedAt) })]),
  ].join(' · ');
  return (
    <Screen
      title={t('route.home')}
      className="pad stack"
      top={<Top back={links.route} backLabel={t('app.back')} over={over} title={t('route.home')} />}
      foot={
        <>
          <UndoBar at={links.close} of={home.id} />
          <CloseGate route={route} home={home} closing={closing} save={save} isWrong={faults.size > 0} />
        </>
      }
    >
      <WhatHappens home={home} closing={closing} />
      <StopsDone closing={closing} />
      {closing.state === 'away' && <CallAndMap customer={home.customer} />}
      <LoadForm kind="return" faults={faults} />
      {closing.state === 'counting' && isUnsaved(report) && (
        <button className="btn btn-wide" type="button" onClick={save}>
          {loadWord('close.saveAndWait')}
        </button>
      )}
    </Screen>
  );
}

/** The automatic steps of the office, and their times. */
function WhatHappens({ home, closing }: { readonly home: LocalStop; readonly closing: Closing }) {
  const { state, deadline, arrivedAt, closedAt, byTimer } = closing;
  const isOnline = useStatus().connection === 'online';
  if (state === 'counting' && deadline !== undefined) return <Countdown deadline={deadline} arrivedAt={arrivedAt} />;
  if (state === 'closed' || state === 'closing') {
    const at = closedAt === undefined ? '' : moment(closedAt, Date.now());
    const words = state === 'closing' ? 'close.closing' : byTimer ? 'close.byTimer' : 'close.closed';
    return (
      <Banner icon="check" tone="go" role="status">
        <div className="row spread">
          <p className="grow">
            <strong>{loadWord(words, { time: at })}</strong>{' '}
            {loadWord(state === 'closed' ? 'close.closedWhy' : isOnline ? 'close.closingOn' : 'close.closingOff')}
          </p>
          <StopTicks stop={home} />
        </div>
      </Banner>
    );
  }
  const why =
    state === 'away'
      ? 'close.awayWhy'
      : home.pending === 0
        ? 'close.openUntil'
        : isOnline
          ? 'close.arrivalOn'
          : 'close.arrivalOff';
  return (
    <Banner icon="home" tone="info" role="status">
      <p>
        <strong>{loadWord(state === 'away' ? 'close.away' : 'close.arrived')}</strong> {loadWord(why)}
      </p>
    </Banner>
  );
}

/** How many stops are done, and which ones are open. Open ones hold nothing up: they go on after the close. */
function StopsDone({ closing: { open, finished, total, state } }: { readonly closing: Closing }) {
  const done = loadWord('close.done', { a: finished, b: total });
  if (open.length === 0)
    return (
      <Banner icon="check" tone="go">
        <p>
          <strong>{done}</strong> {state !== 'closed' && loadWord('close.rest')}
        </p>
      </Banner>
    );
  return (
    <Banner icon="warn" tone="warn">
      <p>
        <strong>{done}</strong> {loadWord('close.open', { n: open.length })}
      </p>
      <ul>
        {open.slice(0, maxShown).map(({ id, customer }) => (
          <li key={id}>
            <a className="btn btn-link" href={links.stop(id)}>
              {id} {customer.name}
            </a>
          </li>
        ))}
      </ul>
      {open.length > maxShown && <p>{loadWord('close.openMore', { n: open.length - maxShown })}</p>}
    </Banner>
  );
}

/** Open stops that the screen names. */
const maxShown = 3;

interface CloseGateProps extends ReturnProps {
  readonly closing: Closing;
  readonly save: () => boolean;
  readonly isWrong: boolean;
}

/** Arrive first, then what is open, then close. Each smaller act below does the last step at once. */
function CloseGate({ route, home, closing, save, isWrong }: CloseGateProps) {
  const client = useClient();
  const [{ return: report }] = useReports();
  const { state, open } = closing;
  const [first] = open;
  const missing = unrated(report);

  const close = (): void => {
    // A fault in a note is at its field; the ratings wait for it, the close does not.
    save();
    const closeRoute = () => client.stop(home.id, route.key).update(closeOf(home, new Date()));
    if (!record({ stop: home.id, kind: 'closed' }, closeRoute)) return;
    // The result is at the top.
    document.querySelector('main')?.scrollTo({ top: 0 });
  };
  const notes = [
    first ? loadWord('close.stops', { n: open.length }) : '',
    missing.length > 0 && state !== 'away' ? missingSections(missing) : '',
    isWrong ? loadWord('load.noteWrong') : '',
  ].filter(Boolean);
  const note =
    notes.length > 0 ? (
      <>
        <strong>{t('stop.missingList')}</strong> {notes.join(' · ')}
      </>
    ) : undefined;

  if (state === 'closed' || state === 'closing') {
    if (isUnsaved(report))
      return (
        <Gate
          note={loadWord('close.unsaved')}
          act={loadWord('close.saveRatings')}
          icon="check"
          todo={isWrong}
          onAct={save}
        />
      );
    return <Gate act={loadWord('close.day')} href={links.day} />;
  }
  const closeAnyway = (
    <button className="btn btn-wide" type="button" onClick={close}>
      {first ? loadWord('close.without', { n: open.length }) : loadWord('close.act')}
    </button>
  );
  if (state === 'away')
    return (
      <Gate
        note={note}
        act={t('stop.arrive')}
        icon="home"
        onAct={() => client.stop(home.id, route.key).arrive(new Date())}
        under={closeAnyway}
      />
    );
  if (first)
    return (
      <Gate
        note={note}
        todo
        act={t('route.open', { n: first.id })}
        more={first.customer.name}
        href={links.stop(first.id)}
        under={closeAnyway}
      />
    );
  return (
    <Gate
      note={note}
      act={loadWord('close.act')}
      more={loadWord(state === 'counting' ? 'close.orWait' : 'close.actWhy')}
      icon="check"
      onAct={close}
    />
  );
}
