import type { LocalStop } from '@tailgate/client-sdk';
import { useCodes } from '@tailgate/client-sdk/react';
import { Icon } from '../../ui/icons.tsx';
import { links } from '../links.ts';
import type { StopDraft } from '../model/draft.ts';
import { overageLacks } from '../model/missing.ts';
import { overageAt } from '../model/scan.ts';
import { t } from '../words/words.ts';
import { fateWord } from '../words/sentences.ts';

/** Items that arrived without being on the list, and the button to add more. */
export function Overage({ stop, draft }: { readonly stop: LocalStop; readonly draft: StopDraft }) {
  const items = overageAt(stop, draft);
  const lacks = overageLacks(items, useCodes('credit-reason'));
  return (
    <section className="sec" aria-labelledby="overage">
      <div className="sum">
        <Icon name="scan" />
        <h2 className="grow" id="overage">
          {t('over.title')}
        </h2>
        <a className="btn" href={links.scan(stop.id)}>
          {t('over.scan')}
        </a>
      </div>
      {items.length > 0 && (
        <ul>
          {items.map((item, place) => (
            <li key={`${item.barcode} ${item.code} ${item.comment}`}>
              <a className="line" href={links.overage(stop.id, place)}>
                <span>
                  <span className="name mono">{item.barcode || item.comment || t('over.noCode')}</span>
                  <span className="sub">
                    {[
                      fateWord(item.code),
                      item.photos.length > 0 ? t('photos.count', { n: item.photos.length }) : '',
                      ...lacks.filter((lack) => lack.place === place).map(({ asks }) => t(lackWords[asks])),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </span>
                <span className="qty">{item.quantity}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const lackWords = { photo: 'over.lacksPhoto', comment: 'over.lacksComment' } as const;
