import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Icon, Mark } from '../../ui/icons.tsx';
import { usePageAddress } from '../address.ts';
import { useRead } from '../api/reads.ts';
import { AttentionContext } from '../attention.ts';
import { frontStep, placeOf, places } from '../navigation.ts';
import { useServices } from '../services.ts';
import type { Operator } from '../session.ts';
import { lock } from '../session.ts';
import { signOut } from '../sign-out.ts';
import { useNow } from '../use-now.ts';
import { useSignal } from '../use-signal.ts';
import { dayIn } from '../words/times.ts';
import { span, t } from '../words/words.ts';
import { facilities, knowFacilities } from '../zones.ts';
import { SearchBox } from './search-box.tsx';
import { ThemeButton } from './theme-button.tsx';

/** The frame of every page: navigation, who works here, how fresh the page is. */
export function Shell({ operator, children }: { readonly operator: Operator; readonly children: ReactNode }) {
  const { steps } = usePageAddress();
  const [first = frontStep] = steps;
  const attention = useRead('readAttention', {});
  const causes = attention.data?.causes.length ?? 0;
  const { data: caller } = useRead('readCaller', {});
  useEffect(() => caller && knowFacilities(caller.facilities), [caller]);
  return (
    <AttentionContext.Provider value={attention}>
      <a className="skip btn" href="#page" onClick={skipToPage}>
        {t('app.skip')}
      </a>
      <div className="shell">
        <nav className="side" aria-label={t('app.main')}>
          <span className="brand">
            <Mark />
            {t('app.name')}
          </span>
          <ul>
            {places.map(({ href, step, icon, word }) => (
              <li key={href}>
                <a href={href} aria-current={step === placeOf(first) ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{t(word)}</span>
                  {step === frontStep && causes > 0 && (
                    <b>
                      <span aria-hidden="true">{causes}</span>
                      <span className="sr">{t('inbox.causes', { n: causes })}</span>
                    </b>
                  )}
                </a>
              </li>
            ))}
          </ul>
          <div className="me">
            <span>
              <strong>{operator.name}</strong>
            </span>
            <span className="muted">{t(`role.${operator.role}`)}</span>
            <button className="btn" type="button" onClick={() => lock('asked')}>
              <Icon name="lock" />
              {t('me.lock')}
            </button>
            <button className="btn btn-quiet" type="button" onClick={signOut}>
              {t('me.out')}
            </button>
          </div>
        </nav>
        <div className="rest">
          <header className="bar">
            <SearchBox />
            <div className="now">
              <Freshness />
              <ThemeButton />
            </div>
          </header>
          {children}
        </div>
      </div>
    </AttentionContext.Provider>
  );
}

/** The link's address is the page's own; the router must not take it for another page. */
function skipToPage(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('main h1')?.focus();
}

const everyMs = 1_000;

/** When the server was heard last, and the day. Quiet for screen readers: a figure that changes each second is noise. */
function Freshness() {
  const { live } = useServices();
  const heardAt = useSignal(live.heardAt);
  const isReached = useSignal(live.isReached);
  const isFollowed = useSignal(live.isFollowed);
  const now = useNow(everyMs);
  useSignal(facilities);
  const age = span(Math.max(0, now - heardAt));
  return (
    <>
      <span className={isReached ? 'live' : 'live off'}>
        {heardAt === 0
          ? t('top.asking')
          : t(!isReached ? 'top.away' : isFollowed ? 'top.live' : 'top.asked', { span: age })}
      </span>
      <span>{dayIn(now)}</span>
    </>
  );
}
