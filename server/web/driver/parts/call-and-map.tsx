import type { Customer } from '@tailgate/sync-protocol';
import { Icon } from '../../ui/icons.tsx';
import { callLink, mapLink } from '../model/contact.ts';
import { t } from '../words/words.ts';

/** Call and navigate: links to the phone's own apps, which work without a network. */
export function CallAndMap({ customer }: { readonly customer: Customer }) {
  const call = callLink(customer);
  const map = mapLink(customer);
  return (
    <div className="btns">
      {call !== undefined && (
        <a className="btn btn-main" href={call}>
          <Icon name="call" />
          {t('route.call')}
        </a>
      )}
      {map !== undefined && (
        <a className="btn btn-main" href={map}>
          <Icon name="nav" />
          {t('route.navigate')}
        </a>
      )}
    </div>
  );
}
