import { ParcelTooLarge, unpackQueues, WrongPassphrase } from '@tailgate/client-sdk/rescue';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import { isWhole, spoken } from '../../ui/hand-over-file.ts';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { Field } from '../../ui/parts/field.tsx';
import type { ReadFile } from '../model/rescue.ts';
import { readFile } from '../model/rescue.ts';
import { NeedsRole } from '../parts/needs-role.tsx';
import { Page } from '../parts/page.tsx';
import { RescueContents } from '../parts/rescue-contents.tsx';
import { RescueResults } from '../parts/rescue-results.tsx';
import { beginRescue, rescue } from '../rescue.ts';
import { useDrop } from '../../ui/use-drop.ts';
import { useSignal } from '../use-signal.ts';
import { t } from '../words/words.ts';

interface Sealed {
  readonly name: string;
  readonly parcel: Uint8Array<ArrayBuffer>;
}

/** The rescue desk (B12): the file of a broken phone, its contents, and the result of each change. */
export function RescueScreen() {
  const current = useSignal(rescue);
  const [sealed, setSealed] = useState<Sealed>();
  const [note, setNote] = useState('');
  const picker = useRef<HTMLInputElement>(null);
  const take = async (files: FileList | null | undefined): Promise<void> => {
    const file = files?.[0];
    if (!file) return;
    const { name } = file;
    setSealed(undefined);
    rescue.set(undefined);
    if (files.length > 1) return setNote(t('rescue.many', { name }));
    setNote(t('rescue.reading', { name }));
    const read = await readFile(file);
    if (read.is === 'sealed') setSealed({ name, parcel: read.parcel });
    if (read.is === 'queues') beginRescue(name, read.queues);
    setNote(faultOf(read, name));
  };
  // While changes go out, no file counts.
  useDrop(
    (files) => void take(files),
    () => !isSending(rescue.current?.stage),
  );
  const isBusy = isSending(current?.stage);
  const choose = (
    <button className="btn" type="button" aria-disabled={isBusy} onClick={() => isBusy || picker.current?.click()}>
      <Icon name="file" />
      {t(current || sealed ? 'rescue.other' : 'rescue.choose')}
    </button>
  );
  return (
    <Page title={t('rescue.title')} lead={t('rescue.lead')} acts={current || sealed ? choose : undefined}>
      <input
        ref={picker}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          void take(currentTarget.files);
          // The same file again is a change, too.
          currentTarget.value = '';
        }}
      />
      <NeedsRole role="repair" />
      <div aria-live="polite">
        {note !== '' && (
          <Banner icon="warn" tone="warn">
            <p className="breaks">{note}</p>
          </Banner>
        )}
      </div>
      {!current && !sealed && (
        <div className="panel drop">
          <Icon name="life" />
          <h2>{t('rescue.drop')}</h2>
          <p className="small">{t('rescue.dropMore')}</p>
          {choose}
        </div>
      )}
      {sealed && (
        <Passphrase
          key={sealed.name}
          sealed={sealed}
          onOpen={() => setSealed(undefined)}
          onFault={(fault) => {
            setSealed(undefined);
            setNote(fault);
          }}
        />
      )}
      {current && (
        <>
          <RescueContents rescue={current} />
          <RescueResults rescue={current} />
        </>
      )}
    </Page>
  );
}

function faultOf({ is }: ReadFile, name: string): string {
  return is === 'queues' || is === 'sealed' ? '' : t(`rescue.${is}`, { name });
}

const isSending = (stage: string | undefined): boolean => stage === 'sending' || stage === 'waiting';

interface PassphraseProps {
  readonly sealed: Sealed;
  readonly onOpen: () => void;
  readonly onFault: (fault: string) => void;
}

/** The last of the figures opens the file. */
function Passphrase({ sealed: { name, parcel }, onOpen, onFault }: PassphraseProps) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const busy = useRef(false);
  const open = async (passphrase: string): Promise<void> => {
    if (busy.current) return;
    if (!isWhole(passphrase)) return setFault(t('rescue.short'));
    busy.current = true;
    try {
      const queues = await unpackQueues(parcel, spoken(passphrase));
      onOpen();
      beginRescue(name, queues);
    } catch (error) {
      if (error instanceof WrongPassphrase) setFault(t('rescue.wrong'));
      else onFault(t(error instanceof ParcelTooLarge ? 'rescue.large' : 'rescue.version', { name }));
    } finally {
      busy.current = false;
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void open(typed);
  };
  return (
    <form className="panel panel-body" noValidate onSubmit={submit}>
      <div className="panel-head">
        <h2 className="breaks">{t('rescue.sealed', { name })}</h2>
      </div>
      <p>{t('rescue.ask')}</p>
      <Field
        label={t('rescue.passphrase')}
        name="passphrase"
        inputMode="numeric"
        autoComplete="off"
        autoFocus
        value={typed}
        hint={t('rescue.figures')}
        error={fault}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          setFault('');
          if (isWhole(value)) void open(value);
        }}
      />
      <button className="btn btn-go" type="submit">
        <Icon name="key" />
        {t('rescue.open')}
      </button>
    </form>
  );
}
