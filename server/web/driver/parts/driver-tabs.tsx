import { Tabs } from '../../ui/parts/tabs.tsx';
import { links } from '../links.ts';
import { unseenCount } from '../model/news.ts';
import { useNews } from '../news.ts';
import { t } from '../words/words.ts';

/** The four pages of the first level. */
export function DriverTabs({ current }: { readonly current: string }) {
  const news = unseenCount(useNews());
  return (
    <Tabs
      label={t('app.tabs')}
      current={current}
      tabs={[
        { href: links.route, icon: 'route', label: t('tab.route') },
        { href: links.scanTab, icon: 'scan', label: t('tab.scan') },
        { href: links.inbox, icon: 'inbox', label: t('tab.inbox'), count: news, countLabel: t('tab.new') },
        { href: links.day, icon: 'day', label: t('tab.day') },
      ]}
    />
  );
}
