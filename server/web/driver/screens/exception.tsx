import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useState } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Choice } from '../../ui/parts/choice.tsx';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { go, goBack, leaveTo } from '../../ui/router.ts';
import { links } from '../links.ts';
import { isPending } from '../model/order.ts';
import { codeNamed, exceptionsFor } from '../model/reasons.ts';
import type { Product } from '../model/lines.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { Photos, usePhotoSession } from '../parts/photos.tsx';
import { recorded } from '../recorded.ts';
import { t } from '../words/words.ts';

/** Other actions at a stop: skip, refuse, read the history. */
export function MoreSheet({ stop: id }: { readonly stop: number }) {
  const stop = useRoute()?.stops.find((each) => each.id === id);
  if (!stop) return null;
  return (
    <Sheet title={t('except.title', { n: id })} closeLabel={t('app.close')} onClose={() => goBack(links.stop(id))}>
      <ul className="acts">
        {isPending(stop) && (
          <>
            <Act href={links.skip(id)} icon="arrow" title={t('except.skip')} why={t('except.skipWhy')} />
            <Act href={links.refuse(id)} icon="x" title={t('except.refuse')} why={t('except.refuseWhy')} />
          </>
        )}
        <Act href={links.history(id)} icon="bulk" title={t('except.history')} why={t('except.historyWhy')} />
      </ul>
    </Sheet>
  );
}

function Act({ href, icon, title, why }: { href: string; icon: IconName; title: string; why: string }) {
  return (
    <li>
      {/* It replaces this sheet, so that the back button returns to the stop. */}
      <button className="btn btn-main btn-wide act" type="button" onClick={() => go(href, { replace: true })}>
        <Icon name={icon} />
        <span className="grow">
          {title}
          <small>{why}</small>
        </span>
        <Icon name="chev" />
      </button>
    </li>
  );
}

/** Skip or refuse a whole stop, with a reason from the office's list. */
export function ExceptionSheet({ stop: id, type }: { readonly stop: number; readonly type: 'S' | 'R' }) {
  const client = useClient();
  const route = useRoute();
  const codes = useCodes('stop-exception');
  const [chosen, setChosen] = useState('');
  const [comment, setComment] = useState('');
  const [photos, setPhotos] = useState<readonly string[]>([]);
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  if (!route) return null;
  // The interface has photos of lines only: those of a whole stop belong to its first line.
  const line = route.stops.find((each) => each.id === id)?.products[0];
  const choices = exceptionsFor(codes, type);
  const code = codeNamed(choices, chosen);
  const lacksComment = code?.requires_comment === true && comment.trim() === '';
  const close = (): void => {
    session.end([]);
    goBack(links.stop(id));
  };
  const record = (): void => {
    session.end(photos);
    const stop = client.stop(id, route.key);
    const fields = {
      skip_refuse_reason_code: chosen,
      skip_refuse_timestamp: new Date(),
      skip_refuse_driver_comment: comment.trim(),
    };
    const receipt =
      line && photos.length > 0
        ? stop.update({ updates: { ...fields, status: type }, products: [withPhotos(line, photos)] })
        : type === 'S'
          ? stop.skip(fields)
          : stop.refuse(fields);
    recorded({ receipt, stop: id, kind: type === 'S' ? 'skipped' : 'refused' });
    leaveTo(links.done(id));
  };
  const act = t(type === 'S' ? 'except.skipAct' : 'except.refuseAct', { n: id });
  return (
    <Sheet
      title={t(type === 'S' ? 'except.skip' : 'except.refuse')}
      over={route.stops.find((each) => each.id === id)?.customer.name}
      closeLabel={t('app.close')}
      onClose={close}
      foot={
        <Gate
          act={code ? act : t('except.choose')}
          more={code ? (lacksComment ? t('except.needsComment') : code.description) : undefined}
          note={code?.requires_photo === true && photos.length === 0 && line ? t('photo.missing') : undefined}
          noteIcon="cam"
          busy={isStoring}
          icon="check"
          todo={!code || lacksComment}
          onAct={code && !lacksComment ? record : focusMissing}
        />
      }
    >
      {choices.length === 0 && <p className="banner">{t('line.noReasons')}</p>}
      <Choice
        legend={t('except.reason')}
        options={choices.map((each) => ({ value: each.code, label: each.description }))}
        value={code?.code}
        onChoose={setChosen}
      />
      {code && line && (
        <Photos
          legend={t('photo.legend')}
          isAsked={code.requires_photo}
          photos={photos}
          onChange={setPhotos}
          session={session}
          name={`photo-${route.id}-${id}`}
          onBusy={setStoring}
        />
      )}
      <label className="field">
        <span className="lab">
          <span>{t('except.comment')}</span>
          {code?.requires_comment === true && <span className="small">{t('line.asked')}</span>}
        </span>
        <textarea
          className="input"
          required={code?.requires_comment === true}
          rows={2}
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      </label>
      <HostPreview text={comment} length={hostLengths.skip_refuse_driver_comment} />
    </Sheet>
  );
}

const withPhotos = ({ id, invoice, updates }: Product, photos: readonly string[]) => ({
  id,
  invoice,
  updates: { image_ids: [...(updates.image_ids ?? []), ...photos] },
});
