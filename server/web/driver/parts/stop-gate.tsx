import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes } from '@tailgate/client-sdk/react';
import type { GateProps } from '../../ui/parts/gate.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { go, goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { deliveryOf } from '../model/deliver.ts';
import { stampOf } from '../model/distance.ts';
import type { StopDraft } from '../model/draft.ts';
import { isCounted, lineNow, sum, tallyOf } from '../model/lines.ts';
import type { Missing } from '../model/missing.ts';
import { missingAt } from '../model/missing.ts';
import { nextAfter, warehouse } from '../model/order.ts';
import { missingSentence, sectionWord } from '../words/sentences.ts';
import { position } from '../position.ts';
import { record } from '../recorded.ts';
import { rememberSigner } from '../signer-memo.ts';
import { t } from '../words/words.ts';

interface StopGateProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly draft: StopDraft;
}

/** The one act of a stop: what is missing first, then deliver; for a delivered stop, the next one. */
export function StopGate({ route, stop, draft }: StopGateProps) {
  const client = useClient();
  const credit = useCodes('credit-reason');
  if (isCounted(stop)) return <NextGate route={route} stop={stop} />;

  const missing = missingAt(stop, draft, credit);
  const first = missing.find((each) => each.kind !== 'return' || !each.optional);
  const note = missing.length > 0 && (
    <>
      <strong>{t('stop.missingList')}</strong> {missingSentence(missing)}
    </>
  );
  const { delivered, planned } = tallyOf(stop, draft);
  const deliver = (): void => {
    const place = stampOf(position.current, Date.now());
    const make = () => client.stop(stop.id, route.key).deliver({ ...deliveryOf(stop, draft, new Date()), ...place });
    if (!record({ stop: stop.id, kind: planned === 0 ? 'done' : 'delivered' }, make)) return;
    rememberSigner(client, stop, draft.signer);
    go(links.done(stop.id), { replace: true });
  };
  const what =
    planned === 0 ? '' : delivered === planned ? String(planned) : t('count.of', { a: delivered, b: planned });
  if (!first)
    return (
      <Gate
        {...(note && { note })}
        act={planned === 0 ? t('stop.deliverNothing') : t('stop.deliver', { n: what })}
        more={draft.signer === '' ? undefined : t('stop.signedBy', { name: draft.signer })}
        icon="check"
        onAct={deliver}
      />
    );
  return (
    <Gate
      todo
      note={note}
      {...actOf(stop, first)}
      under={
        <button className="btn btn-wide" type="button" onClick={deliver}>
          {planned === 0 ? t('stop.doneWithout') : t('stop.unsigned', { what: asDelivered(stop, draft) })}
        </button>
      }
    />
  );
}

/** Pieces as the delivery records them: a line that was neither scanned nor counted is as planned. */
function asDelivered(stop: LocalStop, draft: StopDraft): string {
  const given = sum(stop.products, (line) =>
    draft.lines[line.key] === undefined ? line.quantity : lineNow(stop, line, draft).delivered,
  );
  const planned = sum(stop.products, ({ quantity }) => quantity);
  return given === planned ? String(planned) : t('count.of', { a: given, b: planned });
}

/** The action of the gate while something is missing. */
function actOf(stop: LocalStop, missing: Missing): Pick<GateProps, 'act' | 'more' | 'icon' | 'href'> {
  if (missing.kind === 'scan') {
    const what = missing.sections.map(sectionWord).join(', ');
    const act = t('stop.goScan', { n: missing.pieces });
    return { act, more: t('stop.goScanWhy', { what }), icon: 'scan', href: links.scan(stop.id) };
  }
  if (missing.kind === 'signature') return { act: t('stop.goSign'), icon: 'pen', href: links.sign(stop.id) };
  if (missing.kind === 'overage') {
    const isPhoto = missing.asks === 'photo';
    const act = t(isPhoto ? 'over.addPhoto' : 'over.addComment');
    return { act, more: missing.name, icon: isPhoto ? 'cam' : 'comment', href: links.overage(stop.id, missing.place) };
  }
  const page = missing.kind === 'return' ? links.returns : links.line;
  const { word, icon } = lineActs[missing.kind];
  return { act: t(word, { name: missing.name }), icon, href: page(stop.id, missing.key) };
}

const lineActs = {
  count: { word: 'stop.goCount', icon: 'arrow' },
  return: { word: 'stop.goCount', icon: 'arrow' },
  reason: { word: 'stop.goReason', icon: 'arrow' },
  photo: { word: 'stop.goPhoto', icon: 'cam' },
  comment: { word: 'stop.goComment', icon: 'comment' },
} as const;

/** Leads from a finished stop to the next one. */
export function NextGate({ route, stop }: { readonly route: LocalRoute; readonly stop: LocalStop }) {
  const next = nextAfter(route, stop.id);
  // It takes the place of the finished stop: the back button leads to the route.
  const goOn = (address: string) => () => go(address, { replace: true });
  if (!next) return <Gate act={t('done.toRoute')} onAct={() => goBack(links.route)} />;
  if (next.id === warehouse) return <Gate act={t('done.nextHome')} onAct={goOn(links.close)} />;
  return <Gate act={t('done.next', { n: next.id })} more={next.customer.name} onAct={goOn(links.stop(next.id))} />;
}
