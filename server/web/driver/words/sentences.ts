import type { LocalStop } from '@tailgate/client-sdk';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import { t, time } from './words.ts';
import { emptyDraft } from '../model/draft.ts';
import type { LineNow, ReasonNow } from '../model/lines.ts';
import { isPickup, tallyOf } from '../model/lines.ts';
import type { Missing } from '../model/missing.ts';
import { finishedAt } from '../model/order.ts';
import { codeNamed, lossesOf } from '../model/reasons.ts';
import { overageCodes } from '../model/scan.ts';

/** The address of a customer in one line. */
export const addressLine = ({ customer }: LocalStop): string =>
  [customer.location.address[0], customer.location.city].filter(Boolean).join(', ');

/** Under the name of a stop that is not done: where, and how much. */
export function planLine(stop: LocalStop): string {
  const [street, ...more] = stop.customer.location.address;
  const { planned, toCollect } = tallyOf(stop, emptyDraft);
  const much =
    planned > 0 ? t('count.pieces', { n: planned }) : toCollect > 0 ? t('route.collect', { n: toCollect }) : '';
  return [more[0] ?? street, much].filter(Boolean).join(' · ');
}

/** The name of a delivered stop: nothing was delivered where goods only go back. */
export const deliveredWord = (stop: LocalStop): string => t(isPickup(stop) ? 'done.done' : 'done.delivered');

/** Under the name of a finished stop: when, and what became of it. */
export function outcomeLine(
  stop: LocalStop,
  { credit, exceptions }: { readonly credit: readonly ReferenceCode[]; readonly exceptions: readonly ReferenceCode[] },
): string {
  const { status, skip_refuse_reason_code } = stop.updates;
  const at = finishedAt(stop);
  const clock = at === undefined ? '' : time(at);
  if (status === 'S' || status === 'R') {
    const reason = codeNamed(exceptions, skip_refuse_reason_code ?? '')?.description;
    return [t(status === 'S' ? 'outcome.skipped' : 'outcome.refusedAt', { time: clock }), reason]
      .filter(Boolean)
      .join(' · ');
  }
  if (status === 'C') return [clock, t('outcome.complete')].filter(Boolean).join(' · ');
  return [clock, resultLine(stop, credit)].filter(Boolean).join(' · ');
}

/** Delivered pieces, with the differences: "38 of 39, 1 short". */
function resultLine(stop: LocalStop, credit: readonly ReferenceCode[]): string {
  const { planned, delivered, collected, overage } = tallyOf(stop, emptyDraft);
  const losses = lossesOf(stop, credit).filter(({ quantity }) => quantity > 0);
  const explained = losses.reduce((sum, { quantity }) => sum + quantity, 0);
  const less = planned - delivered - explained;
  return [
    planned === 0
      ? ''
      : delivered === planned
        ? t('outcome.all', { n: delivered })
        : t('outcome.part', { a: delivered, b: planned }),
    ...losses.map(({ category, quantity }) => t(lossWords[category] ?? 'outcome.less', { n: quantity })),
    less > 0 ? t('outcome.less', { n: less }) : '',
    collected > 0 ? t('outcome.back', { n: collected }) : '',
    overage > 0 ? t('outcome.over', { n: overage }) : '',
  ]
    .filter(Boolean)
    .join(', ');
}

const lossWords: Readonly<
  Record<string, 'outcome.short' | 'outcome.damaged' | 'outcome.refused' | 'outcome.wrong' | 'outcome.bad'>
> = {
  SHORTAGE: 'outcome.short',
  DAMAGE: 'outcome.damaged',
  REFUSAL: 'outcome.refused',
  MISPICK: 'outcome.wrong',
  QUALITY: 'outcome.bad',
};

const kindWords: Readonly<
  Record<string, 'line.short' | 'line.damaged' | 'line.refused' | 'line.wrong' | 'line.quality'>
> = {
  SHORTAGE: 'line.short',
  DAMAGE: 'line.damaged',
  REFUSAL: 'line.refused',
  MISPICK: 'line.wrong',
  QUALITY: 'line.quality',
};

/** The pieces of each reason, such as “2 damaged in transit, 1 short on truck”. */
export const reasonsLine = (reasons: readonly ReasonNow[], credit: readonly ReferenceCode[]): string =>
  reasons
    .map(({ code, quantity }) => `${quantity} ${codeNamed(credit, code)?.description.toLowerCase() ?? code}`)
    .join(', ');

/** The word for a category of reasons; the host's own where the app has none. */
export function kindWord(category: string): string {
  const key = kindWords[category];
  return key === undefined ? inSmall(category) : t(key);
}

/** What is missing, as a list in one sentence. */
export const missingSentence = (missing: readonly Missing[]): string => missing.map(missingWords).join(' · ');

function missingWords(missing: Missing): string {
  if (missing.kind === 'scan') return t('stop.missScan', { n: missing.pieces });
  if (missing.kind === 'signature') return t(missing.again ? 'stop.missSignAgain' : 'stop.missSign');
  if (missing.kind === 'overage') return t(lineWords[missing.asks], { name: missing.name || t('photos.overage') });
  return t(lineWords[missing.kind], { name: missing.name });
}

const lineWords = {
  photo: 'stop.missPhoto',
  comment: 'stop.missComment',
  reason: 'stop.missReason',
  return: 'stop.missReturn',
  count: 'stop.missReturn',
} as const;

/** The host's name of a section in the reader's words; a name that the app does not know in small letters. */
export function sectionWord(section: string): string {
  const key = sectionWords[section];
  if (key !== undefined) return t(key);
  return section === '' ? t('stop.noSection') : inSmall(section);
}

const sectionWords: Readonly<
  Record<string, 'section.cases' | 'section.tobacco' | 'section.totes' | 'section.pallets' | 'section.returns'>
> = {
  CASES: 'section.cases',
  'CIG/TOB': 'section.tobacco',
  TOTES: 'section.totes',
  PALLETS: 'section.pallets',
  RETURNS: 'section.returns',
};

/** The driver's choice for an item outside the plan. */
export const fateWord = (code: string): string =>
  t(Number(code) === Number(overageCodes.left) ? 'over.left' : 'over.back');

/** The name of a line's place on the trailer. */
export function placeWord(area: string): string {
  const key = placeWords[area];
  return key === undefined ? area.toLowerCase() : t(key);
}

const placeWords: Readonly<Record<string, 'place.cooler' | 'place.dry' | 'place.freezer'>> = {
  COOLER: 'place.cooler',
  DRY: 'place.dry',
  FREEZER: 'place.freezer',
};

const inSmall = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();

/** Pallets and pieces taken back, under the name of a line. */
export function countWords({ line, draft }: LineNow): string[] {
  const pallets = draft?.pallets ?? line.updates.delivered_pallets ?? 0;
  const back = draft?.returned ?? line.updates.returned;
  return [
    pallets > 0 ? t('counts.pallets', { n: pallets }) : '',
    back > 0 ? t('outcome.back', { n: back }) : '',
  ].filter(Boolean);
}
