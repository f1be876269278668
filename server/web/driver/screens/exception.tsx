import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useRoute } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useRef, useState } from 'react';
import type { IconName } from '../../ui/icons.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Choice } from '../../ui/parts/choice.tsx';
import { focusMissing, Gate } from '../../ui/parts/gate.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { go, goBack, leaveTo } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { ReasonDraft } from '../model/draft.ts';
import { longestComment } from '../model/draft.ts';
import { isPending } from '../model/order.ts';
import { codeNamed, exceptionsFor } from '../model/reasons.ts';
import { photoLine, photosInput, wholePhotos } from '../model/stop-photos.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { Photos, ShutterField, usePhotoSession, usePhotoStore } from '../parts/photos.tsx';
import { record } from '../recorded.ts';
import { useStopDraft } from '../stop-draft.ts';
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

interface ExceptionProps {
  readonly stop: number;
  /** Skip, or refuse. */
  readonly type: 'S' | 'R';
}

/** Skip or refuse a whole stop, with a reason from the office's list. */
export function ExceptionSheet({ stop: id, type }: ExceptionProps) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  return route && stop ? <OpenException route={route} stop={stop} type={type} /> : null;
}

interface OpenExceptionProps {
  readonly route: LocalRoute;
  readonly stop: LocalStop;
  readonly type: 'S' | 'R';
}

function OpenException({ route, stop, type }: OpenExceptionProps) {
  const client = useClient();
  const codes = useCodes('stop-exception');
  const [draft, change] = useStopDraft(stop.id);
  const entered = draft.exception ?? { code: '', comment: '', photos: wholePhotos(stop, draft) };
  const { code: chosen, comment, photos } = entered;
  // The camera, or the system, may end this page at any moment: the phone keeps each entry.
  const enter = (part: Partial<ReasonDraft>): void =>
    change((before) => ({ ...before, exception: { ...entered, ...part } }));
  const [isStoring, setStoring] = useState(false);
  const session = usePhotoSession();
  const { id } = stop;
  const words = exceptionWords[type];
  const choices = exceptionsFor(codes, type);
  const code = codeNamed(choices, chosen);
  const lacksComment = code?.requires_comment === true && comment.trim() === '';
  const lacksPhoto = code?.requires_photo === true && photos.length === 0 && photoLine(stop) !== undefined;
  const close = (): void => {
    if (draft.exception !== null) change((before) => ({ ...before, exception: null }));
    // Photos from before a kill, too.
    photos.forEach(session.note);
    session.end(draft.photos);
    goBack(links.stop(id));
  };
  const save = (taken = photos): void => {
    const handle = client.stop(id, route.key);
    const fields = {
      skip_refuse_reason_code: code?.code ?? '',
      skip_refuse_timestamp: new Date(),
      skip_refuse_driver_comment: comment.trim(),
    };
    const make = () =>
      taken.length > 0
        ? handle.update({ updates: { ...fields, status: type }, ...photosInput(stop, taken) })
        : type === 'S'
          ? handle.skip(fields)
          : handle.refuse(fields);
    if (!record({ stop: id, kind: type === 'S' ? 'skipped' : 'refused' }, make)) return;
    session.end(taken, true);
    leaveTo(links.done(id));
  };
  const camera = { session, name: `photo-${route.id}-${id}`, onBusy: setStoring };
  const { store, isStoring: isSaving, fault } = usePhotoStore(camera);
  // The driver may type on while the photo is stored.
  const latest = useRef(save);
  latest.current = save;
  const photoGate = lacksPhoto && !lacksComment;
  return (
    <Sheet
      title={t(words.title)}
      over={stop.customer.name}
      closeLabel={t('app.close')}
      onClose={close}
      foot={
        code && !lacksComment ? (
          <Gate
            act={photoGate ? t('photo.first') : t(words.act, { n: id })}
            more={photoGate ? t(words.withPhoto) : code.description}
            note={isSaving ? t('photo.storing') : fault || (photoGate ? t('photo.missing') : undefined)}
            noteIcon="cam"
            icon={photoGate ? 'cam' : 'check'}
            busy={isStoring}
            input={
              photoGate && !isStoring ? (
                <ShutterField onPhoto={(photo) => void store(photo, (taken) => latest.current([...photos, taken]))} />
              ) : undefined
            }
            onAct={() => save()}
            under={
              photoGate && (
                <button className="btn btn-wide" type="button" onClick={() => save()}>
                  {t(words.withoutPhoto)}
                </button>
              )
            }
          />
        ) : (
          <Gate
            todo
            act={code ? t(words.act, { n: id }) : t('except.choose')}
            more={code && t('except.needsComment')}
            icon="check"
            onAct={focusMissing}
          />
        )
      }
    >
      {choices.length === 0 && <p className="banner">{t('line.noReasons')}</p>}
      <Choice
        legend={t('except.reason')}
        options={choices.map((each) => ({ value: each.code, label: each.description }))}
        value={code?.code}
        onChoose={(reason) => enter({ code: reason })}
      />
      {code && photoLine(stop) && (
        <Photos
          legend={t('photo.legend')}
          isAsked={code.requires_photo}
          photos={photos}
          onChange={(taken) => enter({ photos: taken })}
          {...camera}
        />
      )}
      <label className="field">
        <span className="lab">
          <span>{t('except.comment')}</span>
          {code?.requires_comment === true && <span className="small">{t('line.asked')}</span>}
        </span>
        <textarea
          className="input"
          maxLength={longestComment}
          required={code?.requires_comment === true}
          rows={2}
          value={comment}
          onInput={(event) => enter({ comment: event.currentTarget.value })}
        />
      </label>
      <HostPreview text={comment} length={hostLengths.skip_refuse_driver_comment} />
    </Sheet>
  );
}

const exceptionWords = {
  S: {
    title: 'except.skip',
    act: 'except.skipAct',
    withPhoto: 'photo.skips',
    withoutPhoto: 'photo.skipWithout',
  },
  R: {
    title: 'except.refuse',
    act: 'except.refuseAct',
    withPhoto: 'photo.refuses',
    withoutPhoto: 'photo.refuseWithout',
  },
} as const;
