import { Icon } from '../../ui/icons.tsx';
import { Gate } from '../../ui/parts/gate.tsx';
import { Screen } from '../../ui/parts/screen.tsx';
import { SignHead } from '../parts/sign-head.tsx';
import { WholeFault } from '../parts/whole-fault.tsx';
import type { Faults } from '../words/sign-in-faults.ts';
import { t } from '../words/words.ts';

interface OtherDriverProps {
  readonly drivers: readonly { readonly id: string; readonly name: string }[];
  readonly faults: Faults;
  readonly isBusy: boolean;
  readonly onGoOn: () => void;
  readonly onBack: () => void;
}

/** Another driver of the route is signed in: what happens to that session, and to the work in it. */
export function OtherDriverScreen({ drivers, faults, isBusy, onGoOn, onBack }: OtherDriverProps) {
  const name = drivers.map((driver) => driver.name).join(', ');
  return (
    <Screen
      title={t('other.title', { name })}
      foot={
        <Gate
          act={isBusy ? t('signIn.busy') : t('other.act', { name })}
          busy={isBusy}
          onAct={onGoOn}
          under={
            <button className="btn btn-main btn-wide" type="button" onClick={onBack}>
              {t('other.back')}
            </button>
          }
        />
      }
    >
      <SignHead />
      <div className="pad stack">
        <h1>{t('other.title', { name })}</h1>
        <WholeFault faults={faults} />
        {drivers.map((driver) => (
          <div className="card pad who" key={driver.id}>
            <span className="no">
              <Icon name="person" />
            </span>
            <div>
              <strong>{driver.name}</strong>
              <span className="small">{t('other.number', { id: driver.id })}</span>
            </div>
          </div>
        ))}
        <h2 className="h-s">{t('other.ifOn')}</h2>
        <ul className="facts-list">
          <li>
            <Icon name="check" />
            <span>{t('other.here')}</span>
          </li>
          <li>
            <Icon name="person" />
            <span>{t('other.out', { name })}</span>
          </li>
          <li>
            <Icon name="box" />
            <span>{t('other.kept', { name })}</span>
          </li>
        </ul>
        <p className="small">{t('other.talk')}</p>
      </div>
    </Screen>
  );
}
