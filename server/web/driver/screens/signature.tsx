import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { useClient, useCodes, useDriver, useRoute, useRoutes } from '@tailgate/client-sdk/react';
import { hostLengths } from '@tailgate/sync-protocol';
import { useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import type { StopDraft } from '../model/draft.ts';
import { draftOf, storedDraft, withoutSignature } from '../model/draft.ts';
import type { Ink } from '../model/ink.ts';
import { isSigned } from '../model/ink.ts';
import { isCounted } from '../model/lines.ts';
import type { SignedLine } from '../model/signed-list.ts';
import { isSignedOtherwise, listHash, signedList } from '../model/signed-list.ts';
import { earlierSigners } from '../model/signers.ts';
import { HostPreview } from '../parts/host-preview.tsx';
import { InkField } from '../parts/ink-field.tsx';
import { discardPhotos } from '../photo-store.ts';
import { recorded } from '../recorded.ts';
import { whileSaving } from '../saving.ts';
import { useServices } from '../services.ts';
import { rememberSigner } from '../signer-memo.ts';
import { signatureFile } from '../signature-file.ts';
import { useStopDraft } from '../stop-draft.ts';
import { storingFault } from '../words/faults.ts';
import { reasonsLine } from '../words/sentences.ts';
import { i18n, t } from '../words/words.ts';

/** The recipient reads the list, and signs. It fills the screen, on an upright phone and on a turned one. */
export function SignatureScreen({ stop: id }: { readonly stop: number }) {
  const route = useRoute();
  const stop = route?.stops.find((each) => each.id === id);
  if (!route || !stop) return null;
  return <Signing route={route} stop={stop} />;
}

function Signing({ route, stop }: { readonly route: LocalRoute; readonly stop: LocalStop }) {
  const client = useClient();
  const { uploads } = useServices();
  const [draft, change] = useStopDraft(stop.id);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const [clears, setClears] = useState(0);
  const signer = draft.signer || (stop.updates.store_emp_name ?? '');
  // Strokes under another list are no signature of this one: the field is empty, also where the list changes under it.
  const isOtherList = isSignedOtherwise(stop, draft);
  const ink = isOtherList ? null : draft.ink;
  useEffect(() => {
    if (isOtherList) setClears((count) => count + 1);
  }, [isOtherList]);
  /** A name alone: the recorded signature stays. */
  const isRenamed = isCounted(stop) && ink === null && signer.trim() !== (stop.updates.store_emp_name ?? '').trim();
  const isReady = isSigned(ink) || isRenamed;

  const leave = (): void => goBack(links.stop(stop.id));
  const isOpen = useRef(false);
  useEffect(() => {
    const drivers = i18n.language();
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      i18n.lend(drivers);
    };
  }, []);
  const draw = (drawn: Ink | null): void => {
    // The file of the former strokes: no change names it, because recording ends the draft.
    if (draft.signature !== null) void discardPhotos(uploads, [draft.signature], []);
    change((before) => ({ ...before, ink: drawn, signature: null, shown: drawn && listHash(stop, before) }));
  };
  const finish = async (): Promise<void> => {
    if (!isReady || isBusy) return;
    if (draft.signature !== null && !isRenamed) return leave();
    setBusy(true);
    try {
      if (isSigned(ink)) await keepSignature(ink);
      else correct({});
      if (isOpen.current) leave();
    } catch (error) {
      setFault(storingFault('sign', error));
      setBusy(false);
    }
  };
  const keepSignature = async (signed: Ink): Promise<void> => {
    const { bytes, shown } = await signatureFile(route, stop, draft, signed);
    const { id } = await uploads.add(bytes, { kind: 'signature', name: `signature-${route.id}-${stop.id}.png` });
    // The driver may have gone back meanwhile, and changed the stop: the file is of these strokes under this list.
    const handle = client.stop(stop.id, route.key);
    const { current: now = stop } = handle;
    const latest = draftOf(handle.draft.current);
    const isSame = JSON.stringify(latest.ink) === JSON.stringify(signed) && listHash(now, latest) === shown;
    if (!isSame) await uploads.discard(id);
    else if (isCounted(now)) correct({ signature_id: id });
    else void handle.draft.set({ ...latest, signer: signer.trim(), signature: id, shown });
  };
  /** Records who signed a delivered stop. */
  const correct = (signature: { readonly signature_id?: string }): void => {
    const handle = client.stop(stop.id, route.key);
    const updates = { ...signature, ...(signer.trim() !== '' && { store_emp_name: signer.trim() }) };
    recorded({ receipt: handle.update({ updates }), stop: stop.id, kind: 'corrected' });
    rememberSigner(client, stop, signer);
    const rest = withoutSignature(draftOf(handle.draft.current));
    // On a full phone it waits for room: the driver does not.
    void whileSaving({}, () => handle.draft.set(storedDraft(rest)));
  };

  return (
    <Screen title={t('sign.title')} className="signpad">
      <SignedListView stop={stop} draft={draft} onLanguage={i18n.lend} />
      <section className="signarea" aria-label={t('stop.sign')}>
        <Signer
          stop={stop}
          signer={signer}
          isLocked={isBusy}
          onChange={(name) => change((before) => ({ ...before, signer: name }))}
        />
        <InkField
          key={clears}
          ink={ink}
          label={t(isSigned(ink) ? 'sign.fieldSigned' : 'sign.field')}
          hint={t('sign.here')}
          isLocked={isBusy}
          onInk={draw}
        />
        {fault !== '' && (
          <p className="small badword" role="alert">
            {fault}
          </p>
        )}
        <div className="row sign-acts">
          <button className="btn btn-main btn-icon" type="button" aria-label={t('sign.back')} onClick={leave}>
            <Icon name="back" />
          </button>
          {ink !== null && (
            <button
              className="btn btn-main"
              type="button"
              aria-label={t('sign.clearAll')}
              onClick={() => {
                draw(null);
                setClears(clears + 1);
              }}
            >
              <Icon name="undo" />
              {t('sign.clear')}
            </button>
          )}
          <button
            className={isReady ? 'btn btn-main btn-go grow' : 'btn btn-main grow'}
            type="button"
            aria-disabled={!isReady || isBusy}
            onClick={() => void finish()}
          >
            <Icon name="check" />
            {t(isReady ? (signer.trim() === '' ? 'sign.doneNoName' : 'sign.done') : 'sign.first')}
          </button>
        </div>
      </section>
    </Screen>
  );
}

interface SignedListViewProps {
  readonly stop: LocalStop;
  readonly draft: StopDraft;
  readonly onLanguage: (code: string) => void;
}

/** The list to sign: lines that differ come first, and are marked. */
function SignedListView({ stop, draft, onLanguage }: SignedListViewProps) {
  const credit = useCodes('credit-reason');
  const { planned, delivered, lines, extra, returns } = signedList(stop, draft);
  const differs = (line: SignedLine): boolean => line.delivered !== line.planned;
  const sorted = [...lines.filter(differs), ...lines.filter((line) => !differs(line))];
  const other = i18n.languages.find(({ code }) => code !== i18n.language());
  return (
    // It scrolls, so a keyboard has to reach it.
    <section className="signlist" aria-label={t('sign.list')} tabIndex={0}>
      <div className="row spread">
        <h1>{t('sign.receive')}</h1>
        <span className="small">{t('sign.lines', { n: lines.length + extra.length + returns.length })}</span>
      </div>
      <p className="bignum">
        {delivered} <small>{t(delivered === planned ? 'sign.all' : 'sign.of', { n: planned })}</small>
      </p>
      <ul className="mini">
        {sorted.map((line) => (
          <li key={line.key} className={differs(line) ? 'hit' : undefined}>
            <span className="item">
              <span>{line.name}</span>
              <b>{differs(line) ? t('count.of', { a: line.delivered, b: line.planned }) : line.delivered}</b>
            </span>
            {line.reasons.length > 0 && <small>{reasonsLine(line.reasons, credit)}</small>}
          </li>
        ))}
        {extra.map(({ barcode, quantity }, place) => (
          <li key={`extra ${place}`} className="hit">
            <span className="item">
              <span>{t('sign.extra', { code: barcode })}</span>
              <b>{quantity}</b>
            </span>
          </li>
        ))}
        {returns.map(({ key, name, returned }) => (
          <li key={key}>
            <span className="item">
              <span>{t('sign.returns', { name })}</span>
              <b>{returned}</b>
            </span>
          </li>
        ))}
      </ul>
      {other && (
        <button className="btn btn-link" type="button" lang={other.code} onClick={() => onLanguage(other.code)}>
          {other.name}
        </button>
      )}
    </section>
  );
}

interface SignerProps {
  readonly stop: LocalStop;
  readonly signer: string;
  readonly isLocked: boolean;
  readonly onChange: (name: string) => void;
}

/** The name of the person who signs; earlier ones of this customer are a tap away. */
function Signer({ stop, signer, isLocked, onChange }: SignerProps) {
  const client = useClient();
  const keys = useRoutes();
  const id = useId();
  const names = earlierSigners(
    keys.map(({ facility, id: name, week_end }) => client.route({ facility, id: name, week_end }).current),
    useDriver()?.memo,
    stop.customer.id,
  );
  return (
    <div className="row names" inert={isLocked}>
      <div className="field">
        <label className="sr" htmlFor={id}>
          {t('sign.name')}
        </label>
        <input
          id={id}
          className="input"
          value={signer}
          placeholder={t('sign.name')}
          maxLength={40}
          autoComplete="off"
          autoCapitalize="words"
          enterKeyHint="done"
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
        <HostPreview text={signer} length={hostLengths.store_emp_name} />
      </div>
      {names.map((name) => (
        <button key={name} className="btn" type="button" aria-pressed={name === signer} onClick={() => onChange(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}
