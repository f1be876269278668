import { useEffect } from 'react';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { goBack } from '../../ui/router.ts';
import { links } from '../links.ts';
import { t } from '../words/words.ts';

/**
 * In place of a screen whose file is not on the phone yet. The page loads again when the worker has all files, or the
 * network is back.
 */
export function MissingPart() {
  useEffect(() => {
    const { serviceWorker } = navigator;
    const reload = (): void => location.reload();
    let isShown = true;
    addEventListener('online', reload);
    // A worker that serves this page already has nothing more to give.
    if (serviceWorker && !serviceWorker.controller) void serviceWorker.ready.then(() => isShown && reload());
    return () => {
      isShown = false;
      removeEventListener('online', reload);
    };
  }, []);
  return (
    <Sheet title={t('missing.title')} closeLabel={t('missing.close')} onClose={() => goBack(links.route)}>
      <p>{t('missing.why')}</p>
    </Sheet>
  );
}
