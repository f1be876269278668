import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';
import { withFilters } from '../address.ts';
import type { Cause } from '../attention.ts';
import { useDraft } from '../drafts.ts';
import { links } from '../links.ts';
import type { Offer } from '../model/causes.ts';
import { facilityOf, offerOf } from '../model/causes.ts';
import { may } from '../session.ts';
import { causePlaces, causeReason, causeTitle } from '../words/cause-sentences.ts';
import { span, t } from '../words/words.ts';
import type { Finished } from './cause-entries.tsx';
import { CauseEntries } from './cause-entries.tsx';
import { Moment } from './moment.tsx';

const shapes: Readonly<Record<Cause['kind'], readonly [IconName, 'bad' | 'warn' | 'info' | '']>> = {
  parked: ['x', 'bad'],
  quarantine: ['file', ''],
  incident: ['warn', 'warn'],
  flag: ['pen', 'info'],
  silent_phone: ['phone', 'bad'],
  missing_file: ['cam', 'warn'],
  hold: ['pause', ''],
  late_close: ['clock', 'warn'],
};

interface CauseRowProps {
  readonly cause: Cause;
  /** A request to end a hold is under way. */
  readonly isEnding: boolean;
  readonly onEndHold: (id: string) => void;
  readonly onFinished: (finished: Finished) => void;
}

/** A cause: what and why, its age, the consequence, one act (B6). Its entries open below it. */
export function CauseRow({ cause, isEnding, onEndHold, onFinished }: CauseRowProps) {
  const draft = useDraft(`cause/${cause.cause}`);
  const mode = draft.fields['mode'];
  const [icon, tone] = shapes[cause.kind];
  const { running, count } = cause;
  const toggle = (): void => (mode === undefined ? draft.change('mode', 'entries') : draft.clear());
  const why = [causePlaces(cause), causeReason(cause)].filter((text) => text !== '');
  return (
    <>
      <section className="cause">
        <span className={`shape ${tone}`}>
          <Icon name={icon} />
        </span>
        <div>
          <h2>
            <button
              className="cause-title"
              type="button"
              data-row=""
              aria-expanded={mode !== undefined}
              onClick={toggle}
            >
              {causeTitle(cause)}
            </button>
          </h2>
          {why.map((text) => (
            <p key={text} className="why">
              {text}
            </p>
          ))}
          {running && (
            <p className="why" role="status">
              <Icon name="retry" small /> {t('bulk.running', { by: running.by, n: running.count, left: count })}
            </p>
          )}
        </div>
        <p className="age">
          <b>{span(Date.now() - Date.parse(cause.oldest_at))}</b>
          {t('inbox.since')} <Moment at={cause.oldest_at} of={{ facility: facilityOf(cause) }} inRow />
        </p>
        <p className="else">{t(`else.${cause.otherwise}`, { n: count })}</p>
        <div>
          <OfferButton
            cause={cause}
            isBusy={isEnding}
            onEntries={() => draft.change('mode', 'entries')}
            onRetry={() => draft.change('mode', 'retry')}
            onEndHold={onEndHold}
          />
        </div>
      </section>
      {mode !== undefined && <CauseEntries cause={cause} draft={draft} mode={mode} onFinished={onFinished} />}
    </>
  );
}

interface OfferButtonProps {
  readonly cause: Cause;
  readonly isBusy: boolean;
  readonly onEntries: () => void;
  readonly onRetry: () => void;
  readonly onEndHold: (id: string) => void;
}

/** The one suggested act: green where a click here can finish it. */
function OfferButton({ cause, isBusy, onEntries, onRetry, onEndHold }: OfferButtonProps) {
  const offer = offerOf(cause, { repair: may('repair'), admin: may('admin') });
  const to = pageOf(offer);
  if (to !== undefined) {
    const isGreen = offer.is === 'repair' && may('repair');
    return (
      <a className={isGreen ? 'btn btn-go' : 'btn'} href={to}>
        <Icon name={icons[offer.is]} />
        {offer.is === 'retry' ? '' : t(`offer.${offer.is}`, { n: cause.count })}
      </a>
    );
  }
  const act = offer.is === 'hold' ? () => onEndHold(offer.id) : offer.is === 'retry' ? onRetry : onEntries;
  const isRunning = offer.is === 'retry' && cause.running !== null;
  return (
    <button
      className={offer.is === 'hold' ? 'btn btn-go' : 'btn'}
      type="button"
      aria-disabled={isBusy || isRunning}
      onClick={isBusy || isRunning ? undefined : act}
    >
      <Icon name={icons[offer.is]} />
      {t(`offer.${offer.is}`, { n: cause.count })}
    </button>
  );
}

const icons: Readonly<Record<Offer['is'], IconName>> = {
  repair: 'pen',
  retry: 'retry',
  kept: 'file',
  incident: 'file',
  incidents: 'file',
  flags: 'file',
  phone: 'phone',
  phones: 'phone',
  stop: 'box',
  route: 'route',
  hold: 'play',
  host: 'office',
  parked: 'x',
  entries: 'down',
};

/** The page of an offer; undefined where the act is done here. */
function pageOf(offer: Offer): string | undefined {
  switch (offer.is) {
    case 'repair':
      return links.repair(offer.id);
    case 'kept':
      return links.kept(offer.id);
    case 'incident':
      return links.incident(offer.id);
    case 'incidents':
      return withFilters(links.incidents, { kind: offer.code });
    case 'flags':
      return withFilters(links.flags, { code: offer.code });
    case 'phone':
      return links.phone(offer.id);
    case 'stop':
      return links.history(offer.item);
    case 'route':
      return links.route(offer.item);
    case 'host':
    case 'parked':
      return links[offer.is];
    case 'phones':
      return withFilters(links.phones, { state: 'silent' });
    default:
      return undefined;
  }
}
