import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Icon } from '../ui/icons.tsx';
import { Banner } from '../ui/parts/chip.tsx';
import { saveFile } from '../ui/save-file.ts';
import { startTheme } from '../ui/theme.ts';
import './evidence.css';
import { secretOf, takePack, type Refused, type Taken } from './take.ts';
import { i18n, t } from './words/words.ts';

startTheme();
i18n.start();
document.title = t('take.title');

/** One button: a program that looks at links for a mail server follows the address, and never presses it. */
function Take({ secret }: { readonly secret: string }) {
  const [taken, setTaken] = useState<Taken>();
  const [refused, setRefused] = useState<Refused>();
  const [isBusy, setBusy] = useState(false);
  const take = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefused(undefined);
    const answer = await takePack(location.href, secret);
    setBusy(false);
    if (typeof answer === 'string') return setRefused(answer);
    setTaken(answer);
    saveFile(answer.content, answer.name);
  };
  return (
    <>
      <p>{t('take.contents')}</p>
      <div aria-live="polite">
        {refused !== undefined && (
          <Banner icon="warn" tone="warn">
            <p>{t(`take.${refused}`)}</p>
          </Banner>
        )}
        {taken && (
          <Banner icon="check" tone="go">
            <p>{t('take.done', { name: taken.name })}</p>
            <p>{t('take.check')}</p>
            <p>
              <a href="./verify.html" download>
                {t('take.page')}
              </a>
            </p>
          </Banner>
        )}
      </div>
      {refused !== 'gone' && (
        <p>
          <button
            className="btn btn-go"
            type="button"
            aria-disabled={isBusy}
            onClick={() => (taken ? saveFile(taken.content, taken.name) : void take())}
          >
            <Icon name="dl" />
            {t(taken ? 'take.again' : isBusy ? 'take.busy' : 'take.act')}
          </button>
        </p>
      )}
    </>
  );
}

function Page() {
  const secret = secretOf(location.hash);
  return (
    <main>
      <h1>{t('take.title')}</h1>
      <p>{t('take.lead')}</p>
      {secret === undefined ? (
        <Banner icon="warn" tone="warn" role="alert">
          <p>{t('take.none')}</p>
        </Banner>
      ) : (
        <Take secret={secret} />
      )}
    </main>
  );
}

const place = document.querySelector('#app');
if (place) createRoot(place).render(<Page />);
