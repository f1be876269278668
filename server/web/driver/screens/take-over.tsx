import { StoreInUse } from '@tailgate/client-sdk';
import type { ChainProgress } from '@tailgate/client-sdk/rescue';
import { CodeReader, ParcelTooLarge, unpackQueues, WrongPassphrase } from '@tailgate/client-sdk/rescue';
import { useDriver, useStatus } from '@tailgate/client-sdk/react';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import { isWhole, maxFileBytes, parcelOfFile, spoken } from '../../ui/hand-over-file.ts';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { links } from '../links.ts';
import type { Arrival } from '../model/rescue.ts';
import { arrivalsOf } from '../model/rescue.ts';
import { CameraView } from '../parts/camera-view.tsx';
import { signalScan } from '../scan/sound.ts';
import { useCamera } from '../scan/use-camera.ts';
import { useServices } from '../services.ts';
import { rescueWord } from '../words/rescue-words.ts';
import { t } from '../words/words.ts';
import { heldSentence } from '../words/day-sentences.ts';

type Parcel = Uint8Array<ArrayBuffer>;

/** Takes the changes of another phone: its codes or its file, then its passphrase, then a word on what came. */
export function TakeOverScreen() {
  const [parcel, setParcel] = useState<Parcel>();
  const [arrivals, setArrivals] = useState<readonly Arrival[]>();
  if (arrivals) return <Arrived arrivals={arrivals} />;
  if (parcel) return <Open parcel={parcel} onArrived={setArrivals} onAgain={() => setParcel(undefined)} />;
  return <Read onParcel={setParcel} />;
}

function TakeTop({ look = 'plain' }: { readonly look?: 'plain' | 'dark' }) {
  const back = useDriver() ? links.day : links.route;
  return <Top look={look} back={back} backLabel={t('sign.back')} title={rescueWord('take.title')} />;
}

/** Missing codes that are named: more of them come round anyway. */
const maxNamed = 4;

function Read({ onParcel }: { readonly onParcel: (parcel: Parcel) => void }) {
  const reader = useRef(new CodeReader());
  const picker = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState<ChainProgress>();
  const [note, setNote] = useState('');
  const onCode = (code: string): void => {
    const next = reader.current.add(code);
    setNote(next ? '' : rescueWord('take.foreign'));
    if (next) setProgress(next);
    const { parcel } = reader.current;
    if (!parcel) return;
    signalScan(true);
    onParcel(parcel);
  };
  const camera = useCamera(onCode);
  const onFile = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const read = file.size > maxFileBytes ? 'foreign' : parcelOfFile(await file.text());
    if (read === 'foreign' || read === 'partial')
      setNote(rescueWord(read === 'foreign' ? 'take.fileForeign' : 'take.filePartial'));
    else onParcel(read);
  };
  return (
    <Screen
      key="read"
      title={rescueWord('take.title')}
      className="scanmain"
      top={<TakeTop look="dark" />}
      foot={<Gate todo act={rescueWord('take.file')} icon="inbox" onAct={() => picker.current?.click()} />}
    >
      <CameraView camera={camera} aim="square" instead={rescueWord('take.noCamera')} />
      <div className="sheet scan-sheet">
        <div className="sheet-body" aria-live="polite">
          <h2>
            {progress ? rescueWord('take.progress', { a: progress.have, b: progress.of }) : rescueWord('take.scan')}
          </h2>
          <p className="small">{progress ? stillMissing(progress) : rescueWord('take.where')}</p>
          {note !== '' && (
            <Banner icon="warn" tone="warn">
              <p>{note}</p>
            </Banner>
          )}
        </div>
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          void onFile(currentTarget.files?.[0]);
          // The same file again is a change, too.
          currentTarget.value = '';
        }}
      />
    </Screen>
  );
}

const stillMissing = ({ missing }: ChainProgress): string =>
  missing.length > maxNamed ? rescueWord('take.coming') : rescueWord('take.missing', { list: missing.join(', ') });

interface OpenProps {
  readonly parcel: Parcel;
  readonly onArrived: (arrivals: readonly Arrival[]) => void;
  readonly onAgain: () => void;
}

/** The passphrase. The last of its figures opens the parcel. */
function Open({ parcel, onArrived, onAgain }: OpenProps) {
  const { importQueues } = useServices();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const [whole, setWhole] = useState('');
  const busy = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const open = async (passphrase: string): Promise<void> => {
    if (busy.current) return;
    if (!isWhole(passphrase)) {
      setFault(rescueWord('take.short'));
      return;
    }
    busy.current = true;
    setBusy(true);
    setFault('');
    setWhole('');
    try {
      const queues = await unpackQueues(parcel, spoken(passphrase));
      onArrived(arrivalsOf(queues, await importQueues(queues)));
    } catch (error) {
      if (error instanceof WrongPassphrase) setFault(rescueWord('take.wrong'));
      else setWhole(error instanceof ParcelTooLarge ? rescueWord('take.large') : sentenceOf(error));
      busy.current = false;
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void open(typed);
  };
  return (
    <Screen
      key="open"
      title={rescueWord('take.title')}
      top={<TakeTop />}
      foot={
        <Gate
          act={rescueWord(isBusy ? 'take.busy' : 'take.act')}
          todo={!isWhole(typed)}
          busy={isBusy}
          form="take-over"
          under={
            !isBusy && (
              <button className="btn btn-link" type="button" onClick={onAgain}>
                {rescueWord('take.again')}
              </button>
            )
          }
        />
      }
    >
      <form id="take-over" className="pad stack" noValidate onSubmit={submit}>
        <Banner icon="check" tone="go">
          <p>
            <strong>{rescueWord('take.here')}</strong>
          </p>
          <p>{rescueWord('take.ask')}</p>
        </Banner>
        {whole !== '' && (
          <Banner icon="warn" tone="bad" role="alert">
            <p>{whole}</p>
          </Banner>
        )}
        <Field
          label={rescueWord('take.passphrase')}
          name="passphrase"
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          readOnly={isBusy}
          hint={rescueWord('take.figures')}
          error={fault}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value);
            setFault('');
            if (isWhole(value)) void open(value);
          }}
        />
      </form>
    </Screen>
  );
}

function sentenceOf(error: unknown): string {
  if (error instanceof StoreInUse) return rescueWord('take.inUse');
  if (error instanceof TypeError) return rescueWord('take.version');
  return rescueWord('take.failed', { why: error instanceof Error ? error.message : String(error) });
}

/** The imported changes; they need no further act. */
function Arrived({ arrivals }: { readonly arrivals: readonly Arrival[] }) {
  const driver = useDriver();
  const status = useStatus();
  const fresh = arrivals.filter(({ added: n }) => n > 0);
  const added = arrivals.reduce((sum, arrival) => sum + arrival.added, 0);
  const title = added > 0 ? rescueWord('take.came', { n: added }) : rescueWord('take.known');
  const nameOf = (employee: string): string => status.names[employee] ?? rescueWord('take.of', { id: employee });
  return (
    <Screen
      key="arrived"
      title={title}
      foot={<Gate act={driver ? t('app.back') : t('signIn.act')} href={links.route} />}
    >
      <div className="pad stack">
        <h1>{title}</h1>
        {added === 0 && <p>{rescueWord('take.knownWhy')}</p>}
        {fresh.map(({ employee, added: n, routes }) => (
          <div className="card pad who" key={employee}>
            <span className="no d">
              <Icon name="check" />
            </span>
            <div>
              <strong>{rescueWord('give.of', { name: nameOf(employee), n })}</strong>
              {routes.length > 0 && (
                <span className="small">{rescueWord('take.route', { list: routes.join(', ') })}</span>
              )}
              <span className="small">
                {heldSentence(status, employee, nameOf(employee)) ?? rescueWord('take.goes', { n })}
              </span>
            </div>
          </div>
        ))}
        <Banner icon="cam">
          <p>{rescueWord('take.files')}</p>
        </Banner>
      </div>
    </Screen>
  );
}
