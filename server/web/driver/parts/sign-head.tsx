import { Mark } from '../../ui/icons.tsx';
import { i18n, t } from '../words/words.ts';

/** The brand, and the other language. */
export function SignHead() {
  const other = i18n.languages.find(({ code }) => code !== i18n.language());
  return (
    <header className="signhead">
      <span className="brand">
        <Mark />
        {t('app.name')}
      </span>
      {other && (
        <button className="btn btn-quiet" type="button" lang={other.code} onClick={() => i18n.setLanguage(other.code)}>
          {other.name}
        </button>
      )}
    </header>
  );
}
