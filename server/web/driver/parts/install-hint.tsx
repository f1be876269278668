import { useWatch } from '@tailgate/client-sdk/react';
import { Banner } from '../../ui/parts/chip.tsx';
import { install, installWay } from '../install.ts';
import { t } from '../words/words.ts';

/** The way onto the home screen, while the app is not there: the browser then keeps the data, too. */
export function InstallHint() {
  const way = useWatch(installWay);
  if (way === 'none') return null;
  return (
    <Banner icon="home">
      <div className="row">
        <p className="grow g8">
          <strong>{t('signIn.install')}</strong> {t(way === 'ios' ? 'signIn.installIos' : 'signIn.installWhy')}
        </p>
        {way === 'button' && (
          <button className="btn" type="button" onClick={() => void install()}>
            {t('signIn.installAct')}
          </button>
        )}
      </div>
    </Banner>
  );
}
