import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import type { Gate } from '../gate.ts';
import { may } from '../session.ts';
import { firstText } from '../words/faults.ts';
import { t } from '../words/words.ts';

/** The decision of another operator who was first. An own one needs a click here, and then the button of the act. */
export function FirstNote({ gate: { first, isShut, confirm } }: { readonly gate: Gate }) {
  if (!first || !may('repair')) return null;
  return (
    <Banner icon="person" tone="warn" role="alert">
      <p>
        <strong>{firstText(first)}</strong> {t(isShut ? 'first.more' : 'first.confirmed')}
      </p>
      {isShut && (
        <button className="btn mt" type="button" onClick={confirm}>
          <Icon name="check" />
          {t('first.confirm')}
        </button>
      )}
    </Banner>
  );
}
