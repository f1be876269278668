import type { LocalRoute } from '@tailgate/client-sdk';
import { Icon } from '../../ui/icons.tsx';
import { links } from '../links.ts';
import { useReports } from '../report-draft.ts';
import { t } from '../words/words.ts';

/** The way to the report before leaving, on the list of stops. */
export function LoadLink({ route }: { readonly route: LocalRoute }) {
  const [{ leave }] = useReports();
  const isSaved = leave.receipt !== null && !leave.changed;
  if (route.status === 'C') return null;
  return (
    <a className="sec" href={links.load}>
      <span className="sum">
        <Icon name={isSaved ? 'check' : 'box'} />
        <span className="grow">{t(isSaved ? 'load.linkSaved' : 'load.link')}</span>
        <Icon name="chev" />
      </span>
    </a>
  );
}
