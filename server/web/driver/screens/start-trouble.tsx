import { StoreInUse } from '@tailgate/client-sdk';
import { useRef, useState, useSyncExternalStore } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { SignHead } from '../parts/sign-head.tsx';
import { i18n } from '../words/words.ts';
import { later } from '../words/later-words.ts';
import { copyWord, dayWord } from '../words/day-words.ts';

/** The kinds of trouble that have a remedy of their own. */
type Trouble = 'inUse' | 'denied' | 'full' | 'newer' | 'slow' | 'other';

interface StartTroubleProps {
  /** Undefined where storage does not answer. */
  readonly error: unknown;
}

/** In place of the app while its storage does not open: the reason, the remedy, and the lines for support. */
export function StartTrouble({ error }: StartTroubleProps) {
  useSyncExternalStore(i18n.subscribe, i18n.language);
  const [isCopied, setCopied] = useState<boolean>();
  const shown = useRef<HTMLPreElement>(null);
  const trouble = troubleOf(error);
  const lines = supportLines(error);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(lines.join('\n'), shown.current));
  };
  return (
    <Screen
      title={later('start.title')}
      foot={<Gate act={later('start.again')} icon="undo" onAct={() => location.reload()} />}
    >
      <SignHead />
      <div className="pad stack">
        <h1>{later('start.title')}</h1>
        <div className="banner warn" role="alert">
          <Icon name="warn" />
          <p className="grow">
            <strong>{later(`start.${trouble}`)}</strong> {later(`start.${trouble}Do`)}
          </p>
        </div>
        {trouble !== 'denied' && <p>{later('start.kept')}</p>}
        <h2>{later('start.support')}</h2>
        <pre ref={shown} className="mono support-text" tabIndex={0} aria-label={later('start.support')}>
          {lines.join('\n')}
        </pre>
        <button className="btn btn-wide" type="button" onClick={() => void copy()}>
          <Icon name={isCopied ? 'check' : 'share'} />
          {dayWord(copyWord(isCopied))}
        </button>
      </div>
    </Screen>
  );
}

/** By name: IndexedDB reports its troubles as DOMExceptions, and a browser without it as a TypeError. */
function troubleOf(error: unknown): Trouble {
  if (error === undefined) return 'slow';
  if (error instanceof StoreInUse) return 'inUse';
  if (globalThis.indexedDB === undefined) return 'denied';
  const name = error instanceof Error ? error.name : '';
  return troubleByName[name] ?? 'other';
}

const troubleByName: Readonly<Record<string, Trouble>> = {
  SecurityError: 'denied',
  InvalidStateError: 'denied',
  QuotaExceededError: 'full',
  VersionError: 'newer',
  // A table of this version is missing: another version has made the database.
  NotFoundError: 'newer',
};

function supportLines(error: unknown): string[] {
  const what =
    error instanceof Error
      ? `${error.name}: ${error.message}`
      : error === undefined
        ? 'no answer'
        : JSON.stringify(error);
  return [
    `start ${what}`,
    `page ${location.origin}${location.pathname}`,
    `at ${new Date().toISOString()}`,
    navigator.userAgent,
  ];
}
