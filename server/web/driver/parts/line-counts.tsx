import { Icon } from '../../ui/icons.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { isOnPallets } from '../model/counts.ts';
import type { LineDraft } from '../model/draft.ts';
import type { Product } from '../model/lines.ts';
import { t } from '../words/words.ts';
import { stepperWords } from './stepper-words.ts';

/** Counts of a line beside its pieces: pallets left here, and pieces of earlier deliveries taken back. */
export type MoreCounts = Pick<LineDraft, 'pallets' | 'returned'>;

interface LineCountsProps {
  readonly line: Product;
  readonly draft: LineDraft | undefined;
  /** The changes in this sheet so far. */
  readonly counts: MoreCounts;
  readonly onChange: (counts: MoreCounts) => void;
}

export function LineCounts({ line, draft, counts, onChange }: LineCountsProps) {
  const { delivered_pallets, returned } = line.updates;
  const pallets = counts.pallets ?? draft?.pallets ?? delivered_pallets ?? 0;
  const back = counts.returned ?? draft?.returned ?? returned;
  const palletCount = (
    <Stepper
      small
      label={t('counts.palletsLabel')}
      value={pallets}
      onChange={(count) => onChange({ ...counts, pallets: count })}
      words={stepperWords()}
    >
      {t('counts.palletsLabel')}
    </Stepper>
  );
  return (
    <>
      {isOnPallets(line) && palletCount}
      <details className="more" open={back > 0}>
        <summary>
          {t('counts.more')}
          <Icon name="down" />
        </summary>
        <div className="stack">
          <Stepper
            small
            label={t('counts.backLabel')}
            value={back}
            onChange={(count) => onChange({ ...counts, returned: count })}
            words={stepperWords()}
          >
            {t('counts.backLabel')}
          </Stepper>
          {!isOnPallets(line) && palletCount}
        </div>
      </details>
    </>
  );
}
