import { useState } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { currentTheme, setTheme } from '../../ui/theme.ts';
import { t } from '../words/words.ts';

/** The console's looks; the driver's sunlight look has no place in an office. */
const looks = ['auto', 'light', 'dark'] as const;

/** Goes through the looks: as the computer, light, dark. */
export function ThemeButton() {
  const [look, setLook] = useState(() => looks.find((each) => each === currentTheme()) ?? 'auto');
  const change = (): void => {
    const next = looks[(looks.indexOf(look) + 1) % looks.length] ?? 'auto';
    setTheme(next);
    setLook(next);
  };
  return (
    <button className="btn btn-quiet" type="button" onClick={change}>
      <Icon name="day" />
      {t('top.theme', { theme: t(`theme.${look}`) })}
    </button>
  );
}
