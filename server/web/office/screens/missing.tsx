import { links } from '../links.ts';
import { Page } from '../parts/page.tsx';
import { t } from '../words/words.ts';

export function MissingScreen() {
  return (
    <Page title={t('page.missing')}>
      <p>
        <a className="btn" href={links.inbox}>
          {t('page.front')}
        </a>
      </p>
    </Page>
  );
}
