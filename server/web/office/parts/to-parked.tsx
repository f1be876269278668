import { links } from '../links.ts';
import { t } from '../words/words.ts';

/** The page of the refused row. */
export function ToParked({ id }: { readonly id: string }) {
  return (
    <a className="btn mt" href={links.repair(id)}>
      {t('stop.toRepair')}
    </a>
  );
}
