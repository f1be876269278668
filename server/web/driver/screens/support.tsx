import type { Diagnostics } from '@tailgate/client-sdk';
import { useClient } from '@tailgate/client-sdk/react';
import { useEffect, useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { codeText, supportLines } from '../model/support.ts';
import { QrCode } from '../parts/qr-code.tsx';
import { t } from '../words/words.ts';
import { dayWord } from '../words/day-words.ts';

/** The state of this phone for support: a code for a camera, and the same as text. */
export function SupportSheet() {
  const client = useClient();
  const [state, setState] = useState<Diagnostics>();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    void client.diagnostics().then(setState);
  }, [client]);
  const lines = state ? supportLines(state) : [];
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(JSON.stringify(state, null, 1));
    setCopied(true);
  };
  return (
    <Sheet title={dayWord('support.title')} closeLabel={t('app.close')} onClose={() => goBack(links.day)}>
      <p className="small">{dayWord('support.why')}</p>
      {state && (
        <>
          <figure className="qrbox">
            <QrCode text={codeText(lines)} label={dayWord('support.code')} />
          </figure>
          <pre className="mono support-text" tabIndex={0} aria-label={dayWord('support.text')}>
            {lines.join('\n')}
          </pre>
          <button className="btn btn-main btn-wide" type="button" onClick={() => void copy()}>
            <Icon name={isCopied ? 'check' : 'share'} />
            {dayWord(isCopied ? 'support.copied' : 'support.copy')}
          </button>
        </>
      )}
    </Sheet>
  );
}
