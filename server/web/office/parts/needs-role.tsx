import { Banner } from '../../ui/parts/chip.tsx';
import type { Role } from '../session.ts';
import { may, operatorOf, session } from '../session.ts';
import { t } from '../words/words.ts';

/** Says that the operator's role does not include the acts of this place. The server refuses them, too. */
export function NeedsRole({ role }: { readonly role: Role }) {
  const operator = operatorOf(session.current);
  if (!operator || may(role)) return null;
  return (
    <Banner icon="lock">
      <p>{t('role.needs', { role: t(`role.${role}`), own: t(`role.${operator.role}`) })}</p>
    </Banner>
  );
}
