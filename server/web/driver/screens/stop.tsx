import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { Icon } from '../../ui/icons.tsx';
import { Banner, Chip } from '../../ui/parts/chip.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { go } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { StopDraft } from '../model/draft.ts';
import { emptyDraft } from '../model/draft.ts';
import { isCounted, sectionsOf, sum } from '../model/lines.ts';
import { isPending, warehouse } from '../model/order.ts';
import { partPhotos, photoLine, wholePhotos } from '../model/stop-photos.ts';
import { deliveredWord, outcomeLine } from '../words/sentences.ts';
import { CallAndMap } from '../parts/call-and-map.tsx';
import { Overage } from '../parts/overage.tsx';
import { LostPhotoNote } from '../parts/phone-notes.tsx';
import { Returns } from '../parts/returns.tsx';
import { Section } from '../parts/section.tsx';
import { StopGate } from '../parts/stop-gate.tsx';
import { StopTicks } from '../parts/stop-ticks.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';
import { askPosition } from '../position.ts';
import { handedCode, useHandScanner } from '../scan/hand-scanner.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t, time } from '../words/words.ts';

/** A stop: where it is, what belongs there, what is missing. Done stops show what was recorded, to be corrected. */
export function StopScreen({ id }: { readonly id: number }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  if (!route || !stop) return <GoneStop />;
  return <KnownStop route={route} stop={stop} />;
}

function KnownStop({ route, stop }: { readonly route: LocalRoute; readonly stop: LocalStop }) {
  const client = useClient();
  const [draft] = useStopDraft(stop.id);
  // The scan screen takes the code.
  useHandScanner((code) => {
    handedCode.set(code);
    go(links.scan(stop.id));
  });
  const total = route.stops.filter(({ id }) => id !== warehouse).length;
  const { customer, updates } = stop;
  const isOpen = isPending(stop);
  const arrive = (): void => {
    // The position from the road is not the customer's.
    askPosition(0);
    client.stop(stop.id, route.key).arrive(new Date());
  };
  const arrivedAt = Date.parse(updates.start_delivery_time ?? '');
  const over = [
    t('stop.of', { n: stop.id, total }),
    ...(Number.isNaN(arrivedAt) ? [] : [t('stop.arrived', { time: time(arrivedAt) })]),
  ].join(' · ');
  return (
    <Screen
      title={customer.name}
      className="stopmain"
      top={
        <Top back={links.route} backLabel={t('app.back')} over={over} title={customer.name}>
          <a className="btn btn-icon" href={links.more(stop.id)} aria-label={t('stop.more')}>
            <Icon name="bulk" />
          </a>
        </Top>
      }
      foot={
        <>
          <UndoBar at={links.stop(stop.id)} of={stop.id} />
          <div className="pad-x">
            <LostPhotoNote />
          </div>
          <StopGate route={route} stop={stop} draft={draft} />
        </>
      }
    >
      <div className="pad addr">
        <address>
          {[
            ...customer.location.address,
            `${customer.location.city}, ${customer.location.state} ${customer.location.zip}`,
          ].map((line) => (
            <span key={line}>{line}</span>
          ))}
          {customer.contact.phone !== '' && <span className="small">{customer.contact.phone}</span>}
        </address>
        {isOpen && !stop.arrived && (
          <button className="btn btn-main" type="button" onClick={arrive}>
            {t('stop.arrive')}
          </button>
        )}
        <CallAndMap customer={customer} />
      </div>
      {!isOpen && <Outcome stop={stop} />}
      <Sections stop={stop} draft={draft} />
      <Returns stop={stop} draft={draft} />
      {stop.products.length > 0 && <Overage stop={stop} draft={draft} />}
      <More stop={stop} draft={draft} />
    </Screen>
  );
}

/** The result of a finished stop, and the place of that record. */
function Outcome({ stop }: { readonly stop: LocalStop }) {
  const credit = useCodes('credit-reason');
  const exceptions = useCodes('stop-exception');
  const isDelivered = isCounted(stop);
  return (
    <div className="pad-x outcome">
      <Banner icon={isDelivered ? 'check' : 'x'} tone={isDelivered ? 'go' : 'warn'}>
        <div className="row spread">
          <p className="grow">
            <strong>{isDelivered ? deliveredWord(stop) : outcomeLine(stop, { credit, exceptions })}</strong>{' '}
            {isDelivered ? outcomeLine(stop, { credit, exceptions }) : ''}
            <br />
            {t(isDelivered ? 'stop.correctHint' : 'stop.skippedNow')}
          </p>
          <StopTicks stop={stop} href={links.stopWhere(stop.id)} />
        </div>
      </Banner>
    </div>
  );
}

/** Sections in the plan's order, scans first. Long ones and totes are folded while they are as planned. */
function Sections({ stop, draft }: { readonly stop: LocalStop; readonly draft: StopDraft }) {
  const credit = useCodes('credit-reason');
  return sectionsOf(stop, draft).map((section) => (
    <Section key={`${section.isScan}${section.id}`} stop={stop} section={section} credit={credit} />
  ));
}

function More({ stop, draft }: { readonly stop: LocalStop; readonly draft: StopDraft }) {
  // A finished stop shows its record: a name that is not recorded yet waits where it was entered.
  const entered = isCounted(stop) ? emptyDraft : draft;
  const signer = entered.signer || (stop.updates.store_emp_name ?? '');
  const isSigned = entered.signature !== null || stop.updates.signature_id !== null;
  const photos = wholePhotos(stop, draft).length + sum(partPhotos(stop, draft), (part) => part.photos.length);
  const comment = (isPending(stop) && draft.comment) || (stop.updates.driver_comments ?? '');
  return (
    <>
      {stop.products.length > 0 && (
        <a className="sec" href={links.sign(stop.id)}>
          <span className="sum">
            <Icon name="pen" />
            <h2 className="grow">{t('stop.sign')}</h2>
            {isSigned ? (
              <Chip icon="check" tone="go">
                {signer || t('route.signature')}
              </Chip>
            ) : (
              <Chip icon="warn" tone="warn">
                {t('stop.missing')}
              </Chip>
            )}
          </span>
        </a>
      )}
      {photoLine(stop) && (
        <a className="sec" href={links.photos(stop.id)}>
          <span className="sum">
            <Icon name="cam" />
            <h2 className="grow">{t('photos.row')}</h2>
            <span className="small">{photos > 0 ? photos : t('stop.none')}</span>
          </span>
        </a>
      )}
      <a className="sec" href={links.comment(stop.id)}>
        <span className="sum">
          <Icon name="comment" />
          <h2 className="grow">{t('stop.comment')}</h2>
          <span className="small">{comment || t('stop.none')}</span>
        </span>
      </a>
    </>
  );
}

function GoneStop() {
  return (
    <Screen title={t('stop.gone')} top={<Top back={links.route} backLabel={t('app.back')} title={t('stop.gone')} />}>
      <p className="pad">{t('stop.goneWhy')}</p>
    </Screen>
  );
}
