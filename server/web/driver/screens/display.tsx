import { useClient, useDriver } from '@tailgate/client-sdk/react';
import { useState } from 'react';
import { Choice } from '../../ui/parts/choice.tsx';
import { Sheet } from '../../ui/parts/sheet.tsx';
import { go, goBack } from '../../ui/router.ts';
import type { Theme } from '../../ui/theme.ts';
import { currentTheme, setTheme, themes } from '../../ui/theme.ts';
import { links } from '../links.ts';
import { isSoundOn, setSound } from '../scan/sound.ts';
import { i18n, t } from '../words/words.ts';

/** Theme, language and user of the app. */
export function DisplaySheet() {
  const client = useClient();
  const driver = useDriver();
  const [theme, setShown] = useState<Theme>(currentTheme);
  const [isLoud, setLoud] = useState(isSoundOn);
  const signOut = (): void => {
    // The next driver begins at the route.
    go(links.route, { replace: true });
    void client.signOut();
  };
  return (
    <Sheet title={t('display.title')} closeLabel={t('app.close')} onClose={() => goBack(links.route)}>
      <Choice
        legend={t('display.look')}
        options={themes.map((value) => ({ value, label: t(`display.${value}`) }))}
        value={theme}
        onChoose={(value) => {
          const chosen = themes.find((each) => each === value) ?? 'auto';
          setTheme(chosen);
          setShown(chosen);
        }}
      />
      <Choice
        legend={t('display.language')}
        options={i18n.languages.map(({ code, name }) => ({ value: code, label: name }))}
        value={i18n.language()}
        onChoose={i18n.setLanguage}
      />
      <Choice
        legend={t('display.sound')}
        options={[
          { value: 'on', label: t('display.soundOn') },
          { value: 'off', label: t('display.soundOff') },
        ]}
        value={isLoud ? 'on' : 'off'}
        onChoose={(value) => {
          setSound(value === 'on');
          setLoud(value === 'on');
        }}
      />
      {driver && (
        <>
          <p className="small">{t('route.mine', { name: driver.name, id: driver.employeeId })}</p>
          <button className="btn btn-wide" type="button" onClick={signOut}>
            {t('display.signOut')}
          </button>
          <p className="cap">{t('display.signOutWhy')}</p>
        </>
      )}
    </Sheet>
  );
}
