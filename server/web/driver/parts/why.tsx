import type { ReferenceCode } from '@tailgate/sync-protocol';
import { hostLengths } from '@tailgate/sync-protocol';
import { Choice } from '../../ui/parts/choice.tsx';
import type { ReasonDraft } from '../model/draft.ts';
import { longestComment } from '../model/draft.ts';
import type { ReasonKind } from '../model/reasons.ts';
import { codeNamed, kindsOf } from '../model/reasons.ts';
import { kindWord } from '../words/sentences.ts';
import { t } from '../words/words.ts';
import { HostPreview } from './host-preview.tsx';
import type { PhotosProps } from './photos.tsx';
import { Photos } from './photos.tsx';

interface WhyProps {
  readonly less: number;
  readonly credit: readonly ReferenceCode[];
  readonly reason: ReasonDraft;
  readonly onChange: (reason: ReasonDraft) => void;
  readonly photos: Pick<PhotosProps, 'session' | 'name' | 'onShutter' | 'onBusy'>;
}

/** Why a line has less than planned: the reason, then what this reason asks for. */
export function Why({ less, credit, reason, onChange, photos }: WhyProps) {
  const kinds = kindsOf(credit);
  const code = codeNamed(credit, reason.code);
  if (kinds.length === 0) return <p className="banner">{t('line.noReasons')}</p>;
  return (
    <>
      <Reason kinds={kinds} less={less} chosen={code} onChoose={(chosen) => onChange({ ...reason, code: chosen })} />
      {code && (
        <Photos
          legend={t('photo.legend')}
          isAsked={code.requires_photo}
          photos={reason.photos}
          onChange={(taken) => onChange({ ...reason, photos: taken })}
          {...photos}
        />
      )}
      {code && (
        <label className="field">
          <span className="lab">
            <span>{t('line.comment')}</span>
            {code.requires_comment && <span className="small">{t('line.asked')}</span>}
          </span>
          <textarea
            className="input"
            maxLength={longestComment}
            required={code.requires_comment}
            rows={1}
            value={reason.comment}
            onInput={(event) => onChange({ ...reason, comment: event.currentTarget.value })}
          />
        </label>
      )}
      {code && <HostPreview text={reason.comment} length={hostLengths.comment} />}
    </>
  );
}

/** More reasons than this are chosen in two steps: the kind, then the reason. */
const mostAtOnce = 12;

interface ReasonProps {
  readonly kinds: readonly ReasonKind[];
  readonly less: number;
  readonly chosen: ReferenceCode | undefined;
  readonly onChoose: (code: string) => void;
}

/** The office's reasons. A short list shows all of them, so that one tap names any. */
function Reason({ kinds, less, chosen, onChoose }: ReasonProps) {
  const legend = t('line.why', { n: less });
  const all = kinds.flatMap(({ codes }) => codes);
  if (all.length <= mostAtOnce)
    return (
      <Choice
        legend={legend}
        look="two"
        options={all.map(({ code, category, description }) => ({
          value: code,
          label: description,
          below: belowWord(description, category),
        }))}
        value={chosen?.code}
        onChoose={onChoose}
      />
    );
  const kind = kinds.find(({ category }) => category === chosen?.category);
  return (
    <>
      <Choice
        legend={legend}
        look="three"
        options={kinds.map(({ category }) => ({ value: category, label: kindWord(category) }))}
        value={kind?.category}
        onChoose={(category) => {
          const first = kinds.find((each) => each.category === category)?.codes[0];
          if (first) onChoose(first.code);
        }}
      />
      {kind && kind.codes.length > 1 && (
        <Choice
          legend={t('line.reason')}
          hideLegend
          options={kind.codes.map(({ code, description }) => ({ value: code, label: description }))}
          value={chosen?.code}
          onChoose={onChoose}
        />
      )}
    </>
  );
}

/** The kind in the driver's language, where the office's words do not begin with it. */
function belowWord(description: string, category: string): string | undefined {
  const kind = kindWord(category);
  return description.toLowerCase().startsWith(kind.toLowerCase()) ? undefined : kind;
}
