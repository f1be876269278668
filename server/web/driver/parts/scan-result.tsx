import type { LocalStop } from '@tailgate/client-sdk';
import { Icon } from '../../ui/icons.tsx';
import { Banner } from '../../ui/parts/chip.tsx';
import { Stepper } from '../../ui/parts/stepper.tsx';
import { links } from '../links.ts';
import type { StopDraft } from '../model/draft.ts';
import { withReturn } from '../model/draft.ts';
import { returnedNow } from '../model/lines.ts';
import type { Match } from '../model/scan.ts';
import { withScanned } from '../model/scan.ts';
import { t, time } from '../words/words.ts';
import { stepperWords } from './stepper-words.ts';

/** The latest scan of a screen. */
export interface Scanned {
  readonly code: string;
  /** As it was before the piece was counted. */
  readonly match: Match;
  /** Pieces that the driver has of it. */
  readonly quantity: number;
  /** Scans so far, so that an equal code shows as a new one. */
  readonly count: number;
  /** The driver's choice for a piece outside the plan. */
  readonly done?: 'left' | 'back' | 'kept';
}

interface ScanResultProps {
  readonly stop: LocalStop;
  readonly draft: StopDraft;
  readonly scan: Scanned;
  readonly onDraft: (draft: StopDraft) => void;
  readonly onQuantity: (quantity: number) => void;
  readonly onOverage: (fate: 'left' | 'back') => void;
}

/** The latest code, and the driver's choices for the piece. */
export function ScanResult(props: ScanResultProps) {
  const { stop, scan } = props;
  const { match, code, done } = scan;
  const isPlanned = match.kind === 'line' || match.kind === 'return' || (match.kind === 'full' && match.byHand);
  return (
    <>
      <div>
        <p className="cap">
          {t(isPlanned ? 'scan.planned' : 'scan.notPlanned')} · <span className="mono">{code}</span>
        </p>
        <h2 className="scan-title">{resultTitle(stop, scan)}</h2>
      </div>
      {done === undefined ? (
        isPlanned ? (
          <PlannedCount {...props} />
        ) : (
          <Outside {...props} />
        )
      ) : (
        <Banner icon="check" tone="go">
          <p>{doneSentence(stop, scan)}</p>
        </Banner>
      )}
    </>
  );
}

/** The piece in one line. */
function resultTitle(stop: LocalStop, { match }: Scanned): string {
  if (match.kind === 'unknown')
    return match.name === '' ? t('scan.unknown') : t('scan.unknownItem', { name: match.name, n: stop.id });
  const { name } = match.line;
  if (match.kind === 'missing' || match.kind === 'later') return t(`scan.${match.kind}`, { name, n: match.stop.id });
  if (match.kind === 'return')
    return match.byHand ? t('scan.byHand', { name, a: match.returned, b: match.line.quantity }) : name;
  if (match.kind !== 'full') return name;
  const { scanned, byHand, line } = match;
  return byHand
    ? t('scan.byHand', { name, a: scanned, b: line.quantity })
    : t('scan.oneMore', { name, n: line.quantity });
}

function doneSentence(stop: LocalStop, { match, quantity, done }: Scanned): string {
  if (done === 'left') return t('scan.doneLeft', { n: quantity, stop: stop.id });
  if (done === 'back') return t('scan.doneBack', { n: quantity, stop: stop.id });
  return t(match.kind === 'later' ? 'scan.doneLater' : 'scan.doneKept', {
    n: quantity,
    stop: match.kind === 'missing' || match.kind === 'later' ? match.stop.id : stop.id,
  });
}

/** The count of a planned line, which the scan has moved by one. */
function PlannedCount({ stop, draft, scan, onDraft }: ScanResultProps) {
  const { match } = scan;
  if (match.kind === 'full' || (match.kind === 'return' && match.byHand))
    return (
      <a className="btn btn-wide" href={sheetOf(stop, match)}>
        <Icon name="pen" />
        {t('scan.openLine')}
      </a>
    );
  if (match.kind === 'line') {
    const { line } = match;
    return (
      <Stepper
        small
        label={t('scan.scanned')}
        value={draft.lines[line.key]?.scanned ?? 0}
        max={line.quantity}
        onChange={(scanned) => onDraft(withScanned(draft, line, scanned))}
        words={stepperWords()}
      >
        {t('scan.of', { n: line.quantity })}
      </Stepper>
    );
  }
  if (match.kind !== 'return') return null;
  const { line } = match;
  return (
    <Stepper
      small
      label={t('return.label')}
      value={returnedNow(line, draft)}
      onChange={(returned) => onDraft(withReturn(draft, line.key, { ...draft.returns[line.key], returned }))}
      words={stepperWords()}
    >
      {t('line.of', { n: line.quantity })}
    </Stepper>
  );
}

const sheetOf = ({ id }: LocalStop, { kind, line }: Match & { readonly kind: 'full' | 'return' }): string =>
  (kind === 'return' ? links.returns : links.line)(id, line.key);

/** A piece outside the plan of this stop. */
function Outside({ scan, onQuantity, onOverage }: ScanResultProps) {
  const { match, quantity } = scan;
  return (
    <>
      <Why match={match} />
      <Stepper
        small
        label={t('scan.howMany')}
        value={quantity}
        min={1}
        {...(match.kind === 'missing' && { max: match.less })}
        onChange={onQuantity}
        words={stepperWords()}
      />
      <div className="btns">
        <button className="btn btn-main" type="button" onClick={() => onOverage('left')}>
          {t('scan.leave')}
        </button>
        {(match.kind === 'missing' || match.kind === 'later') && (
          <button className="btn btn-main" type="button" onClick={() => onOverage('back')}>
            {t('scan.takeBack')}
          </button>
        )}
      </div>
    </>
  );
}

function Why({ match }: { readonly match: Match }) {
  if (match.kind === 'missing') {
    const { stop, line, less, at } = match;
    const got = {
      name: stop.customer.name,
      a: line.quantity - less,
      b: line.quantity,
      time: at === undefined ? '' : time(at),
    };
    return (
      <Banner icon="route" tone="info">
        <p>
          {t('scan.got', got)} {less === 1 ? t('scan.looksLike', { n: line.quantity }) : t('scan.lacks', { n: less })}
        </p>
      </Banner>
    );
  }
  if (match.kind === 'later')
    return (
      <Banner icon="route" tone="info">
        <p>{t('scan.laterWhy', { name: match.stop.customer.name, n: match.line.quantity })}</p>
      </Banner>
    );
  return null;
}
