import type { LocalStop } from '@tailgate/client-sdk';
import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import { links } from '../links.ts';
import { hasReturnCount, returnTally } from '../model/counts.ts';
import type { StopDraft } from '../model/draft.ts';
import { returnedNow } from '../model/lines.ts';
import { t } from '../words/words.ts';

/** Returns of a stop: totes, pallets, returned goods. A row opens its count, the button opens all of them. */
export function Returns({ stop, draft }: { readonly stop: LocalStop; readonly draft: StopDraft }) {
  const { back, planned, uncounted, totes, plannedTotes } = returnTally(stop, draft);
  if (stop.collections.length === 0) return null;
  return (
    <details className="sec" open>
      <summary>
        <h2 className="grow">{t('stop.goBack')}</h2>
        <ReturnChip back={back} planned={planned} uncounted={uncounted} />
        <Icon name="down" />
      </summary>
      <ul>
        {stop.collections.map((line) => (
          <li key={line.key}>
            <a className="line" href={links.returns(stop.id, line.key)}>
              <span>
                <span className="name">{line.name}</span>
                <span className="sub">
                  {[
                    line.id,
                    line.container_type.toLowerCase(),
                    line.required && !hasReturnCount(stop, line, draft) ? t('counts.required') : '',
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </span>
              <span className="qty">
                {hasReturnCount(stop, line, draft) ? (
                  returnedNow(line, draft)
                ) : (
                  <>
                    <span aria-hidden="true">–</span>
                    <span className="sr">{t('counts.open')}</span>
                  </>
                )}{' '}
                <small>{t('line.of', { n: line.quantity })}</small>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {stop.customer.verify_returns && <p className="cap pad-x">{t('counts.verify')}</p>}
      {stop.collections.length > 1 && (
        <p className="pad">
          <a className="btn btn-wide" href={links.counts(stop.id)}>
            <Icon name="bulk" />
            {plannedTotes > 0 && plannedTotes < planned
              ? t('counts.allTotes', { a: totes, b: plannedTotes })
              : t('counts.all')}
          </a>
        </p>
      )}
    </details>
  );
}

interface ReturnChipProps {
  readonly back: number;
  readonly planned: number;
  /** Pieces of lines without a count. */
  readonly uncounted: number;
}

function ReturnChip({ back, planned, uncounted }: ReturnChipProps) {
  if (uncounted > 0) return <Chip icon="undo">{t('counts.toCount', { n: uncounted })}</Chip>;
  return back === planned ? (
    <Chip icon="check" tone="go">
      {t('stop.asPlanned', { n: planned })}
    </Chip>
  ) : (
    <Chip icon="warn" tone="warn">
      {t('count.of', { a: back, b: planned })}
    </Chip>
  );
}
