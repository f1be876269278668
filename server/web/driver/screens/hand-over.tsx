import { useClient, useDriver, useStatus, useUploads } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen, Top } from '../../ui/parts/screen.tsx';
import { goBack } from '../../ui/router.ts';
import type { Prepared } from '../hand-over.ts';
import { prepare } from '../hand-over.ts';
import { links } from '../links.ts';
import { CodeChain } from '../parts/code-chain.tsx';
import { useServices } from '../services.ts';
import { shareFiles } from '../share-files.ts';
import { rescueWord } from '../words/rescue-words.ts';
import { sinceTime, t } from '../words/words.ts';

/** Hands the unsent changes of this phone to another one: by codes or as a file, and a passphrase that is said aloud. */
export function HandOverScreen() {
  const client = useClient();
  const [prepared, setPrepared] = useState<Prepared | 'nothing'>();
  const [fault, setFault] = useState('');
  const [isSaid, setSaid] = useState(false);
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    prepare(client).then(
      (ready) => setPrepared(ready ?? 'nothing'),
      (error: unknown) => setFault(error instanceof Error ? error.message : String(error)),
    );
  }, [client]);

  if (prepared === undefined || prepared === 'nothing')
    return <Nothing isPreparing={prepared === undefined} fault={fault} />;
  const asFile = async (): Promise<void> => {
    // A plain name: who sees the file in a list learns nothing.
    const result = await shareFiles([new File([prepared.file], 'tailgate-hand-over.txt', { type: 'text/plain' })]);
    setSaved(result === 'saved');
    if (result !== 'cancelled') setSaid(true);
  };
  if (isSaid) return <Passphrase prepared={prepared} isSaved={isSaved} onBack={() => setSaid(false)} />;
  const { codes } = prepared;
  return (
    <Screen
      key="codes"
      title={rescueWord('give.title')}
      top={<GiveTop prepared={prepared} />}
      foot={
        codes ? (
          <Gate
            act={rescueWord('give.toPassphrase')}
            onAct={() => setSaid(true)}
            under={
              <button className="btn btn-link" type="button" onClick={() => void asFile()}>
                {rescueWord('give.asFile')}
              </button>
            }
          />
        ) : (
          <Gate act={rescueWord('give.file')} icon="share" onAct={() => void asFile()} />
        )
      }
    >
      <div className="pad stack">
        <p>
          {rescueWord('give.how')} <strong>{t('signIn.takeOver')}</strong>
        </p>
        {codes ? (
          <CodeChain codes={codes} />
        ) : (
          <Banner icon="warn" tone="warn">
            <p>{rescueWord('give.tooMany')}</p>
          </Banner>
        )}
        <p className="small">{rescueWord('give.where')}</p>
        <Goes prepared={prepared} />
        <Files />
      </div>
    </Screen>
  );
}

/** Without a driver, the route's address shows the sign-in page. */
const useParent = (): string => (useDriver() ? links.day : links.route);

function GiveTop({ prepared }: { readonly prepared?: Prepared }) {
  const { changes = 0, since } = prepared ?? {};
  return (
    <Top
      back={useParent()}
      backLabel={t('sign.back')}
      over={
        since === undefined ? undefined : rescueWord('give.since', { n: changes, time: sinceTime(since, Date.now()) })
      }
      title={rescueWord('give.title')}
    />
  );
}

/** The changes that go over: of more than one driver, each by name. */
function Goes({ prepared: { changes, drivers } }: { readonly prepared: Prepared }) {
  const { names } = useStatus();
  const nameOf = (employee: string): string => names[employee] ?? rescueWord('take.of', { id: employee });
  return (
    <Banner icon="check">
      <p>
        <strong>{rescueWord('give.goes', { n: changes })}</strong> {rescueWord('give.twice')}
      </p>
      {drivers.length > 1 &&
        drivers.map(({ employee, n }) => <p key={employee}>{rescueWord('give.of', { name: nameOf(employee), n })}</p>)}
    </Banner>
  );
}

/** Photos and signatures of this phone that the server lacks. */
function Files() {
  const { files } = useUploads();
  const { uploads } = useServices();
  const [isSaved, setSaved] = useState(false);
  const [fault, setFault] = useState('');
  if (files.length === 0) return null;
  const share = async (): Promise<void> => {
    try {
      const found = await Promise.all(files.map(async ({ id, name }) => fileOf(id, name, await uploads.read(id))));
      setSaved((await shareFiles(found.flatMap((file) => file ?? []))) === 'saved');
      setFault('');
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Banner icon="cam">
      <p>
        <strong>{rescueWord('give.files', { n: files.length })}</strong> {rescueWord('give.filesWhy')}
      </p>
      <button className="btn mt" type="button" onClick={() => void share()}>
        <Icon name="share" />
        {rescueWord('give.shareFiles', { n: files.length })}
      </button>
      <p role="status">{fault === '' ? isSaved && rescueWord('give.filesSaved') : t('fault.other', { why: fault })}</p>
    </Banner>
  );
}

/** The office finds the file by its id. */
function fileOf(id: string, name: string, bytes: Uint8Array<ArrayBuffer> | undefined): File | undefined {
  if (!bytes) return undefined;
  const [ending, type] = bytes[0] === 0x89 ? ['png', 'image/png'] : ['jpg', 'image/jpeg'];
  return new File([bytes], [name.replace(/\.\w+$/, ''), `${id}.${ending}`].filter(Boolean).join('-'), { type });
}

interface PassphraseProps {
  readonly prepared: Prepared;
  readonly isSaved: boolean;
  readonly onBack: () => void;
}

/** On a page of its own: who films the codes does not film it with them. */
function Passphrase({ prepared, isSaved, onBack }: PassphraseProps) {
  const parent = useParent();
  return (
    <Screen
      key="passphrase"
      title={rescueWord('give.passphrase')}
      top={<GiveTop prepared={prepared} />}
      foot={<Gate act={rescueWord('give.done')} icon="check" onAct={() => goBack(parent)} />}
    >
      <div className="pad stack">
        {isSaved && (
          <Banner icon="check" tone="go" role="status">
            <p>{rescueWord('give.saved')}</p>
          </Banner>
        )}
        <section className="card pad">
          <h2>{rescueWord('give.say')}</h2>
          <p className="passphrase" aria-label={rescueWord('give.passphrase')}>
            {prepared.passphrase.split(' ').map((group) => (
              <span key={group}>{group} </span>
            ))}
          </p>
          <p className="small">{rescueWord('give.sayWhy')}</p>
        </section>
        <h2 className="h-s">{rescueWord('give.then')}</h2>
        <ul className="facts-list">
          <li>
            <Icon name="check" />
            <span>{rescueWord('give.thenOther')}</span>
          </li>
          <li>
            <Icon name="cloud" />
            <span>{rescueWord('give.thenThis')}</span>
          </li>
        </ul>
        <Files />
        <button className="btn btn-main btn-wide" type="button" onClick={onBack}>
          {rescueWord('give.back')}
        </button>
      </div>
    </Screen>
  );
}

interface NothingProps {
  readonly isPreparing: boolean;
  /** The reason where the changes cannot be packed. */
  readonly fault: string;
}

function Nothing({ isPreparing, fault }: NothingProps) {
  const parent = useParent();
  return (
    <Screen
      title={rescueWord('give.title')}
      top={<GiveTop />}
      foot={<Gate act={rescueWord('give.done')} icon="check" onAct={() => goBack(parent)} />}
    >
      {isPreparing ? (
        <p className="pad" role="status">
          {fault === '' ? rescueWord('give.preparing') : rescueWord('give.failed', { why: fault })}
        </p>
      ) : (
        <>
          <div className="empty">
            <Icon name="check" />
            <h2>{rescueWord('give.nothing')}</h2>
            <p>{rescueWord('give.nothingWhy')}</p>
          </div>
          <div className="pad">
            <Files />
          </div>
        </>
      )}
    </Screen>
  );
}
