import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { overageInput } from '../model/deliver.ts';
import type { OverageDraft, StopDraft } from '../model/draft.ts';
import { isCounted } from '../model/lines.ts';
import { overageLacks } from '../model/missing.ts';
import { cleanCode } from '../model/barcode.ts';
import type { Match, overageCodes } from '../model/scan.ts';
import { addOverage, matchCode, overageAt, overageOf, scanTally, stopAtHand, withScan } from '../model/scan.ts';
import { BarcodeField } from '../parts/barcode-field.tsx';
import { CameraView } from '../parts/camera-view.tsx';
import { DriverTabs } from '../parts/driver-tabs.tsx';
import type { Scanned } from '../parts/scan-result.tsx';
import { ScanResult } from '../parts/scan-result.tsx';
import { UndoBar } from '../parts/undo-bar.tsx';
import { record } from '../recorded.ts';
import { handedCode, useHandScanner } from '../scan/hand-scanner.ts';
import { signalScan } from '../scan/sound.ts';
import { useCamera } from '../scan/use-camera.ts';
import { useStopDraft } from '../stop-draft.ts';
import { t } from '../words/words.ts';

/** Scanning at a stop: by camera, by a hardware scanner, or typed. The tab scans for the stop at hand. */
export function ScanScreen({ stop: id }: { readonly stop?: number }) {
  const route = useRoute();
  const stop = route && (id === undefined ? stopAtHand(route) : route.stops.find((each) => each.id === id));
  const isTab = id === undefined;
  if (!route || !stop)
    return (
      <Screen title={t('tab.scan')} foot={<DriverTabs current={links.scanTab} />}>
        <div className="empty">
          <Icon name="scan" />
          <h1>{t('scan.noStop')}</h1>
          <p>{t('scan.noStopWhy')}</p>
        </div>
      </Screen>
    );
  return <OpenScan key={stop.id} route={route} stop={stop} isTab={isTab} />;
}

interface OpenScanProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly isTab: boolean;
}

function OpenScan({ route, stop, isTab }: OpenScanProps) {
  const client = useClient();
  const credit = useCodes('credit-reason');
  const [draft, change] = useStopDraft(stop.id);
  const [last, setLast] = useState<Scanned>();
  // Two scans may come before the next render.
  const now = useRef(draft);
  now.current = draft;
  const set = (to: StopDraft): void => {
    now.current = to;
    change(() => to);
  };

  const onCode = (code: string): void => {
    const match = matchCode({ route, stop, draft: now.current, credit }, code);
    signalScan(match.kind === 'line' || (match.kind === 'return' && !match.byHand));
    const after = withScan(now.current, match);
    if (after !== now.current) set(after);
    setLast((before) => ({ code, match, quantity: 1, count: (before?.count ?? 0) + 1 }));
  };
  const sheet = useRef<HTMLDivElement>(null);
  const count = last?.count;
  useEffect(() => {
    if (count !== undefined) sheet.current?.querySelector('h2')?.scrollIntoView({ block: 'center' });
  }, [count]);
  const camera = useCamera(onCode);
  useHandScanner(onCode);
  useEffect(() => {
    const handed = handedCode.current;
    handedCode.set(undefined);
    if (handed !== undefined) onCode(handed);
  }, []);

  /** A piece outside the plan: part of the delivery, or recorded at once where the stop is delivered. */
  const keepOverage = (scan: Scanned, fate: keyof typeof overageCodes): void => {
    const item = overageOf(scan.code, fate, scan.quantity);
    if (isCounted(stop)) {
      const overage_items = addOverage(overageAt(stop, now.current), item).map(overageInput);
      const correct = () => client.stop(stop.id, route.key).update({ updates: { overage_items } });
      if (!record({ stop: stop.id, kind: 'corrected' }, correct)) return;
    } else set({ ...now.current, overage: addOverage(now.current.overage, item) });
    setLast({ ...scan, done: fate });
  };
  /** The piece stays on the truck. The stop that lacks it shows where it was found; its count changes at its door only. */
  const keepForOther = (scan: Scanned, match: Match & { readonly kind: 'missing' | 'later' }): void => {
    if (match.kind === 'missing') {
      const { line, stop: other } = match;
      const found = t('scan.foundNote', { n: scan.quantity, name: line.name, code: scan.code, stop: stop.id });
      const driver_comments = [other.updates.driver_comments, found].filter(Boolean).join(' ');
      const note = () => client.stop(other.id, route.key).update({ updates: { driver_comments } });
      if (!record({ stop: other.id, kind: 'corrected' }, note)) return;
    }
    setLast({ ...scan, done: 'kept' });
  };

  const { scanned, planned } = scanTally(stop, draft);
  const back = isTab ? links.route : links.stop(stop.id);
  const title = planned > 0 ? t('scan.progress', { a: scanned, b: planned }) : t('tab.scan');
  return (
    <Screen
      title={title}
      className="scanmain"
      top={
        <Top
          look="dark"
          back={back}
          backLabel={t(isTab ? 'app.back' : 'scan.back', { n: stop.id })}
          over={`${t('route.stopNumber', { n: stop.id })} · ${stop.customer.name}`}
          title={title}
        >
          {camera.light && (
            <button
              className="btn btn-icon"
              type="button"
              aria-label={t('scan.light')}
              aria-pressed={camera.light.isOn}
              onClick={camera.light.toggle}
            >
              <Icon name="light" />
            </button>
          )}
        </Top>
      }
      foot={
        <>
          {last?.done === 'kept' && last.match.kind === 'missing' && (
            <UndoBar at={isTab ? links.scanTab : links.scan(stop.id)} of={last.match.stop.id} />
          )}
          <ScanGate
            stop={stop}
            left={planned - scanned}
            last={last}
            overage={overageAt(stop, draft)}
            credit={credit}
            isTab={isTab}
            onOverage={keepOverage}
            onKeep={keepForOther}
          />
          {isTab && <DriverTabs current={links.scanTab} />}
        </>
      }
    >
      <CameraView camera={camera} />
      <div className="sheet scan-sheet" ref={sheet}>
        <div className="sheet-body" aria-live="polite" key={count}>
          {last ? (
            <ScanResult
              stop={stop}
              draft={draft}
              scan={last}
              onDraft={set}
              onQuantity={(quantity) => setLast({ ...last, quantity })}
              onOverage={(fate) => keepOverage(last, fate)}
            />
          ) : (
            <h2>{planned > scanned ? t('scan.first', { n: planned - scanned }) : t('scan.any')}</h2>
          )}
        </div>
        <div className="sheet-body">
          <BarcodeField onCode={onCode} />
        </div>
      </div>
    </Screen>
  );
}

interface ScanGateProps {
  readonly stop: LocalStop;
  /** Pieces that wait for a scan. */
  readonly left: number;
  readonly last: Scanned | undefined;
  readonly overage: readonly OverageDraft[];
  readonly credit: readonly ReferenceCode[];
  readonly isTab: boolean;
  readonly onOverage: (scan: Scanned, fate: 'back') => void;
  readonly onKeep: (scan: Scanned, match: Match & { readonly kind: 'missing' | 'later' }) => void;
}

/** The act of the latest scan: where its piece goes. Without one, back to the stop. */
function ScanGate({ stop, left, last, overage, credit, isTab, onOverage, onKeep }: ScanGateProps) {
  if (last && last.done === undefined) {
    const { match } = last;
    if (match.kind === 'missing' || match.kind === 'later')
      return (
        <Gate
          act={t('scan.keepFor', { n: match.stop.id })}
          more={t(match.kind === 'missing' ? 'scan.keepForWhy' : 'scan.keepLaterWhy', { n: match.stop.id })}
          icon="check"
          onAct={() => onKeep(last, match)}
        />
      );
    if (match.kind === 'unknown' || (match.kind === 'full' && !match.byHand))
      return (
        <Gate act={t('scan.takeBack')} more={t('scan.takeBackWhy')} icon="undo" onAct={() => onOverage(last, 'back')} />
      );
  }
  const lack = overageLacks(overage, credit).find(
    ({ place }) => last && overage[place]?.barcode === cleanCode(last.code),
  );
  if (lack && (last?.done === 'left' || last?.done === 'back'))
    return (
      <Gate
        todo
        act={t(lack.asks === 'photo' ? 'over.addPhoto' : 'over.addComment')}
        more={t('over.asks')}
        icon={lack.asks === 'photo' ? 'cam' : 'comment'}
        href={links.overage(stop.id, lack.place)}
        under={
          <a className="btn btn-wide" href={links.stop(stop.id)}>
            {t('scan.toStop', { n: stop.id })}
          </a>
        }
      />
    );
  const toStop = { act: t('scan.toStop', { n: stop.id }), icon: left > 0 ? ('arrow' as const) : ('check' as const) };
  const more = left > 0 ? t('scan.left', { n: left }) : undefined;
  if (isTab) return <Gate overTabs {...toStop} more={more} href={links.stop(stop.id)} />;
  return <Gate {...toStop} more={more} todo={left > 0} onAct={() => goBack(links.stop(stop.id))} />;
}
