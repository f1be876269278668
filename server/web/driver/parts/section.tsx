import type { LocalStop } from '@tailgate/client-sdk';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import { Icon } from '../../ui/icons.tsx';
import { Chip } from '../../ui/parts/chip.tsx';
import { links } from '../links.ts';
import type { LineNow, SectionNow } from '../model/lines.ts';
import { codeNamed } from '../model/reasons.ts';
import { countWords, placeWord, sectionWord } from '../words/sentences.ts';
import { t } from '../words/words.ts';

/** Lines that a section shows without a tap while all of it is as planned. */
const maxOpen = 8;

interface SectionProps {
  readonly stop: LocalStop;
  readonly section: SectionNow;
  readonly credit: readonly ReferenceCode[];
}

export function Section({ stop, section, credit }: SectionProps) {
  const { id, isScan, lines, planned, delivered, toScan, toCount } = section;
  const isAsPlanned = toScan === 0 && lines.every((line) => line.delivered === line.planned);
  const isFolded = isAsPlanned && (id === 'TOTES' || lines.length > maxOpen);
  return (
    <details className="sec" open={!isFolded}>
      <summary>
        <h2 className="grow">{isScan ? t('stop.scanSection', { section: sectionWord(id) }) : sectionWord(id)}</h2>
        {toScan > 0 ? (
          <Chip icon="scan" tone="warn">
            {t('count.of', { a: planned - toScan, b: planned })}
          </Chip>
        ) : toCount > 0 ? (
          <Chip icon="warn" tone="warn">
            {t('counts.toCount', { n: toCount })}
          </Chip>
        ) : isAsPlanned ? (
          <Chip icon="check" tone="go">
            {t('stop.asPlanned', { n: planned })}
          </Chip>
        ) : (
          <Chip icon="warn" tone="bad">
            {delivered < planned
              ? t('count.less', { n: planned - delivered })
              : t('count.more', { n: delivered - planned })}
          </Chip>
        )}
        <Icon name="down" />
      </summary>
      <ul>
        {lines.map((line) => (
          <LineRow key={line.line.key} stop={stop} line={line} credit={credit} />
        ))}
      </ul>
    </details>
  );
}

function LineRow({ stop, line: now, credit }: { stop: LocalStop; line: LineNow; credit: readonly ReferenceCode[] }) {
  const { line, delivered, planned, toScan, toCount, reasons } = now;
  const why = reasons
    .filter(({ quantity }) => quantity > 0)
    .map(({ code, quantity }) => `${quantity} ${codeNamed(credit, code)?.description.toLowerCase() ?? code}`);
  const sub = [
    toCount ? t('counts.required') : '',
    line.id,
    placeWord(line.trailer_area),
    line.container_type.toLowerCase(),
    ...countWords(now),
    ...why,
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <li>
      <a className="line" href={links.line(stop.id, line.key)}>
        <span>
          <span className="name">{line.name}</span>
          <span className="sub">{sub}</span>
        </span>
        <span className="qty">
          {delivered}{' '}
          {delivered === planned && toScan === 0 && !toCount ? (
            <span className="okmark">
              <Icon name="check" />
              <span className="sr">{t('stop.plannedMark')}</span>
            </span>
          ) : (
            <small>{t('line.of', { n: planned })}</small>
          )}
        </span>
      </a>
    </li>
  );
}
