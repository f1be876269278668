import { t } from '../words/words.ts';

/** In place of a page whose file did not load. */
export function MissingPart() {
  return (
    <div className="panel empty" role="alert">
      <p>{t('app.missing')}</p>
      <button className="btn" type="button" onClick={() => location.reload()}>
        {t('app.again')}
      </button>
    </div>
  );
}
