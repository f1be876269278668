import { useClient, useDayComplete, useDriver, useRoute, useStatus, useUploads } from '@tailgate/client-sdk/react';
import type { LocalStop, Status } from '@tailgate/client-sdk';
import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import type { TickState } from '../../ui/parts/ticks.tsx';
import { Tick } from '../../ui/parts/ticks.tsx';
import { go } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { Day, Left } from '../model/day.ts';
import { dayOf } from '../model/day.ts';
import { orderOf } from '../model/order.ts';
import { DriverTabs } from '../parts/driver-tabs.tsx';
import { InstallHint } from '../parts/install-hint.tsx';
import { PhoneFacts } from '../parts/phone-facts.tsx';
import { useReceipts } from '../parts/stop-ticks.tsx';
import { TopLine } from '../parts/top-line.tsx';
import { heldSentence, leftSentence, leftTitle } from '../words/day-sentences.ts';
import { t } from '../words/words.ts';
import { dayWord } from '../words/day-words.ts';

/** The day's end: whether all of it is at the office; else what is missing, where, and since when. */
export function DayScreen() {
  const day = useDay();
  const isComplete = useDayComplete() && day.left.length === 0;
  const isEmpty = isComplete && day.atOffice === 0;
  const title = dayWord(
    isEmpty ? 'day.nothing' : !isComplete ? 'day.notAll' : day.elsewhere > 0 ? 'day.allOfPhone' : 'day.all',
  );
  return (
    <Screen title={t('tab.day')} top={<TopLine />} foot={<DayFoot here={day.here} />}>
      <header className="route-head">
        <h1>{title}</h1>
        <Progress isComplete={isComplete} elsewhere={day.elsewhere} />
      </header>
      <div className="places pad-x" role="group" aria-label={dayWord('day.places')}>
        <Place tick={day.here === 0 ? 'yes' : 'part'} n={day.here} word={dayWord('day.here')} />
        <Place tick={day.atServer === 0 ? 'yes' : 'wait'} n={day.atServer} word={dayWord('day.atServer')} />
        <Place
          tick={isComplete && !isEmpty ? 'yes' : 'wait'}
          n={day.atOffice}
          word={dayWord('day.atOffice', { n: day.atOffice })}
        />
      </div>
      {day.left.length > 0 && (
        <>
          <div className="list-head">
            <h2>{dayWord('day.missing')}</h2>
            <span>{dayWord('day.oldest')}</span>
          </div>
          <LeftList left={day.left} />
        </>
      )}
      <OtherDrivers />
      <div className="list-head">
        <h2>{t('phone.title')}</h2>
      </div>
      <PhoneFacts />
      <div className="pad stack">
        <InstallHint />
        <a className="btn btn-main btn-wide" href={links.handOver}>
          <Icon name="share" />
          {t('day.handOver')}
        </a>
        <a className="btn btn-main btn-wide" href={links.takeOver}>
          <Icon name="inbox" />
          {t('signIn.takeOver')}
        </a>
        <a className="btn btn-main btn-wide" href={links.support}>
          <Icon name="life" />
          {dayWord('support.title')}
        </a>
      </div>
    </Screen>
  );
}

function useDay(): Day {
  const client = useClient();
  const route = useRoute();
  const files = useUploads();
  const { pending, employeeId: employee = '', oldestPendingAt } = useStatus();
  // Renders with each step of any change; the states are then read stop by stop.
  useReceipts(route?.stops.flatMap(({ receipts }) => receipts) ?? []);
  const statesOf = ({ receipts }: LocalStop) => receipts.flatMap((id) => client.receipt(id)?.current ?? []);
  return dayOf({ route, statesOf, files, employee, pending: pending[employee] ?? 0, oldestPendingAt });
}

function Progress({ isComplete, elsewhere }: { readonly isComplete: boolean; readonly elsewhere: number }) {
  const route = useRoute();
  const { connection } = useStatus();
  const done = route ? orderOf(route) : undefined;
  return (
    <p className="small">
      {done && `${t('route.progress', { a: done.finished, b: done.total })}. `}
      {elsewhere > 0 && `${dayWord('day.elsewhere', { n: elsewhere })} `}
      {!isComplete && dayWord(connection === 'online' ? 'day.onItsWay' : 'day.waitsForNetwork')}
    </p>
  );
}

function Place({ tick, n, word }: { readonly tick: TickState; readonly n: number; readonly word: string }) {
  return (
    <div className="place card">
      <Tick state={tick} />
      <b>{n}</b>
      {word}
    </div>
  );
}

/** Rows that show at once; a long list comes with a tap. */
const firstLeft = 30;

function LeftList({ left }: { readonly left: readonly Left[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? left : left.slice(0, firstLeft);
  return (
    <ul className="stops">
      {shown.map((each) => (
        <li className="miss" key={keyOf(each)}>
          <Tick state={tickOf(each)} />
          <div>
            <strong>{leftTitle(each)}</strong>
            <span className="small">{leftSentence(each)}</span>
          </div>
        </li>
      ))}
      {shown.length < left.length && (
        <li className="stop more">
          <button type="button" className="btn btn-quiet btn-wide" onClick={() => setWhole(true)}>
            {t('route.show', { n: left.length - shown.length })} <Icon name="down" />
          </button>
        </li>
      )}
    </ul>
  );
}

const tickOf = (left: Left): TickState => {
  if (left.kind === 'parked' || left.kind === 'review' || left.kind === 'failed') return 'look';
  return left.kind === 'file' ? 'part' : 'wait';
};

const keyOf = (left: Left): string => {
  if (left.kind === 'file') return left.file.id;
  if (left.kind === 'failed') return left.id;
  return left.kind === 'other' ? left.kind : `${left.kind} ${left.stop.id} ${left.since ?? ''}`;
};

/** Work of earlier drivers on this phone. */
function OtherDrivers() {
  const status = useStatus();
  const { names, employeeId } = status;
  const others = othersOf(status).filter(({ employee }) => employee !== employeeId);
  if (others.length === 0) return null;
  return (
    <>
      <div className="list-head">
        <h2>{dayWord('day.also')}</h2>
      </div>
      <ul className="stops">
        {others.map(({ employee, n }) => {
          const name = names[employee] ?? employee;
          return (
            <li className="miss" key={employee}>
              <span className="no">
                <Icon name="person" />
              </span>
              <div>
                <strong>{dayWord('day.other', { name, n })}</strong>
                <span className="small">{heldSentence(status, employee, name) ?? dayWord('day.otherGoes')}</span>
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function othersOf({ pending, uploading }: Pick<Status, 'pending' | 'uploading'>) {
  const employees = [...new Set([...Object.keys(pending), ...Object.keys(uploading)])];
  return employees.map((employee) => ({ employee, n: (pending[employee] ?? 0) + (uploading[employee] ?? 0) }));
}

function DayFoot({ here }: { readonly here: number }) {
  const client = useClient();
  const driver = useDriver();
  const signOut = async (): Promise<void> => {
    // The next driver begins at the route.
    go(links.route, { replace: true });
    await client.signOut();
  };
  return (
    <>
      <Gate
        overTabs
        noteIcon="check"
        note={here > 0 ? dayWord('day.losesNothingOf', { n: here }) : t('display.signOutWhy')}
        act={t('display.signOut')}
        more={driver?.name}
        onAct={() => void signOut()}
      />
      <DriverTabs current={links.day} />
    </>
  );
}
