import type { Diagnostics } from '@tailgate/client-sdk';
import { useClient } from '@tailgate/client-sdk/react';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { copyText } from '../../ui/copy-text.ts';
import { links } from '../links.ts';
import { codeText, supportLines } from '../model/support.ts';
import { QrCode } from '../parts/qr-code.tsx';
import { t } from '../words/words.ts';
import { copyWord, dayWord } from '../words/day-words.ts';

/** The state of this phone for support: a code for a camera, and the same as text. */
export function SupportSheet() {
  const client = useClient();
  const [state, setState] = useState<Diagnostics>();
  const [fault, setFault] = useState('');
  const [isCopied, setCopied] = useState<boolean>();
  const shown = useRef<HTMLPreElement>(null);
  useEffect(() => {
    client
      .diagnostics()
      .then(setState, (error: unknown) => setFault(error instanceof Error ? error.message : String(error)));
  }, [client]);
  const lines = state ? supportLines(state) : [];
  const copy = async (): Promise<void> => {
    setCopied(await copyText(JSON.stringify(state, null, 1), shown.current));
  };
  return (
    <Sheet title={dayWord('support.title')} closeLabel={t('app.close')} onClose={() => goBack(links.day)}>
      <p className="small">{dayWord('support.why')}</p>
      {fault !== '' && (
        <p className="small badword" role="alert">
          {dayWord('support.failed', { why: fault })}
        </p>
      )}
      {state && (
        <>
          <figure className="qrbox">
            <QrCode text={codeText(lines)} label={dayWord('support.code')} />
          </figure>
          <pre ref={shown} className="mono support-text" tabIndex={0} aria-label={dayWord('support.text')}>
            {lines.join('\n')}
          </pre>
          <button className="btn btn-main btn-wide" type="button" onClick={() => void copy()}>
            <Icon name={isCopied ? 'check' : 'share'} />
            {dayWord(copyWord(isCopied))}
          </button>
        </>
      )}
    </Sheet>
  );
}
