import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import type { ReferenceCode } from '@tailgate/sync-protocol';
import { articleOf, cleanCode, keysOf } from './barcode.ts';
import type { OverageDraft, StopDraft } from './draft.ts';
import { emptyDraft, withLine, withReturn } from './draft.ts';
import type { Collection, Product } from './lines.ts';
import { isCounted, lineNow, needsScan, returnedNow, sum } from './lines.ts';
import { finishedAt, isPending, warehouse } from './order.ts';
import { codeNamed, overageCategory } from './reasons.ts';

/** The overage codes of the interface: left with the customer, and taken back. */
export const overageCodes = { left: '85', back: '86' } as const;

/** The longest barcode that the interface takes. */
const longestBarcode = 20;

/** The meaning of a code at a stop. */
export type Match =
  /** A line of this stop with pieces that are not scanned yet. */
  | { readonly kind: 'line'; readonly line: Product; readonly scanned: number }
  /** A line of this stop without open pieces: all are scanned, or the driver counted them by hand. */
  | { readonly kind: 'full'; readonly line: Product; readonly scanned: number; readonly byHand: boolean }
  /** Something that goes back from this stop, such as a tote. `byHand`: its count is recorded, and its sheet corrects it. */
  | { readonly kind: 'return'; readonly line: Collection; readonly returned: number; readonly byHand: boolean }
  /** Not planned here, and another stop got less of it than planned. */
  | {
      readonly kind: 'missing';
      readonly stop: LocalStop;
      readonly line: Product;
      readonly less: number;
      readonly at: number | undefined;
    }
  /** Not planned here, and a later stop needs it. */
  | { readonly kind: 'later'; readonly stop: LocalStop; readonly line: Product }
  /** Not planned here, and no other stop lacks it. `name`: the item, where the route knows it. */
  | { readonly kind: 'unknown'; readonly name: string };

interface Place {
  readonly route: Pick<LocalRoute, 'stops'>;
  readonly stop: LocalStop;
  readonly draft: StopDraft;
  /** Reasons for less than planned. */
  readonly credit: readonly ReferenceCode[];
}

/** The meaning of a code at a stop, from the route on the phone alone. */
export function matchCode({ route, stop, draft, credit }: Place, code: string): Match {
  const states = linesOf(stop.products, code).map((line) => stateOf(stop, line, draft));
  const open = states.find(({ kind, scanned, line }) => kind === 'line' || scanned < line.quantity);
  if (open) return open;
  const back = stop.collections.find((line) => isItem(line.id, code));
  if (back) {
    const byHand = isCounted(stop);
    return { kind: 'return', line: back, returned: returnedNow(back, byHand ? emptyDraft : draft), byHand };
  }

  const others = route.stops.filter(({ id }) => id !== stop.id && id !== warehouse);
  const lines = others.flatMap((other) => linesOf(other.products, code).map((line) => ({ stop: other, line })));
  // The latest delivery first: the mistake is likely there.
  const missing = lines
    .flatMap(({ stop: other, line }) => shortOf(other, line, credit))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
  if (missing) return missing;
  const later = lines.find((each) => isPending(each.stop));
  const [full] = states;
  if (full) return full;
  if (later) return { kind: 'later', ...later };
  return { kind: 'unknown', name: lines[0]?.line.name ?? '' };
}

function stateOf(stop: LocalStop, line: Product, draft: StopDraft): Match & { readonly kind: 'line' | 'full' } {
  const own = draft.lines[line.key];
  const scanned = own?.scanned ?? 0;
  const byHand = own?.delivered !== undefined || isCounted(stop);
  if (!byHand && scanned < line.quantity) return { kind: 'line', line, scanned };
  return { kind: 'full', line, scanned: byHand ? lineNow(stop, line, draft).delivered : scanned, byHand };
}

/** Pieces with these reasons were at the customer's door: they are not missing. */
const presented = new Set(['DAMAGE', 'QUALITY', 'REFUSAL']);

/** A delivered line that lacks pieces. */
function shortOf(
  stop: LocalStop,
  line: Product,
  credit: readonly ReferenceCode[],
): (Match & { readonly kind: 'missing' })[] {
  if (!isCounted(stop)) return [];
  const { planned, delivered, reasons } = lineNow(stop, line, emptyDraft);
  const back = reasons.filter(({ code }) => presented.has(codeNamed(credit, code)?.category ?? ''));
  const less = planned - delivered - sum(back, ({ quantity }) => quantity);
  return less > 0 ? [{ kind: 'missing', stop, line, less, at: finishedAt(stop) }] : [];
}

/** Lines with this barcode or item number; where none has it, lines of the article inside the scanned case. */
function linesOf(lines: readonly Product[], code: string): Product[] {
  const keys = new Set(keysOf(code));
  const exact = lines.filter(
    ({ id, box_upc, item_upc }) =>
      isItem(id, code) || [box_upc, item_upc].some((upc) => keysOf(upc).some((key) => keys.has(key))),
  );
  if (exact.length > 0) return exact;
  const article = articleOf(code);
  if (article === undefined) return [];
  return lines.filter(({ box_upc, item_upc }) => [box_upc, item_upc].some((upc) => articleOf(upc) === article));
}

const isItem = (id: string, code: string): boolean => id !== '' && id.toUpperCase() === code.trim().toUpperCase();

/** The draft with one piece more, after a scan of a planned line or of something that goes back. */
export function withScan(draft: StopDraft, match: Match): StopDraft {
  if (match.kind === 'line') return withScanned(draft, match.line, match.scanned + 1);
  if (match.kind !== 'return' || match.byHand) return draft;
  const { line, returned } = match;
  return withReturn(draft, line.key, { ...draft.returns[line.key], returned: returned + 1 });
}

export const withScanned = (draft: StopDraft, line: Product, scanned: number): StopDraft =>
  withLine(draft, line.key, { ...draft.lines[line.key], scanned });

/** Pieces outside the plan. The comment keeps a code that is longer than the interface takes. */
export function overageOf(code: string, fate: keyof typeof overageCodes, quantity: number): OverageDraft {
  const barcode = cleanCode(code);
  const isLong = barcode.length > longestBarcode;
  return {
    barcode: isLong ? '' : barcode,
    code: overageCodes[fate],
    quantity,
    comment: isLong ? barcode : '',
    photos: [],
  };
}

/** The overage of a stop: the recorded items of a delivered stop, else those of the draft. */
export function overageAt(stop: LocalStop, draft: StopDraft): readonly OverageDraft[] {
  if (!isCounted(stop)) return draft.overage;
  return (stop.updates.overage_items ?? []).map(({ barcode, osd_code, quantity, comment, images_id }) => ({
    barcode,
    code: osd_code,
    quantity,
    comment,
    photos: images_id ? [images_id] : [],
  }));
}

/** The choices for overage, by code. Until the phone has the office's list: the two codes of the interface. */
export function fatesOf(credit: readonly ReferenceCode[]): string[] {
  const listed = credit.filter(({ category, driver_visible }) => category === overageCategory && driver_visible);
  return listed.length > 0 ? listed.map(({ code }) => code) : Object.values(overageCodes);
}

/** A list of overage with one item more; pieces with the same code and fate are one entry. */
export function addOverage(items: readonly OverageDraft[], item: OverageDraft): OverageDraft[] {
  const isSame = (each: OverageDraft): boolean =>
    each.barcode === item.barcode && each.code === item.code && (each.barcode !== '' || each.comment === item.comment);
  if (!items.some(isSame)) return [...items, item];
  return items.map((each) => (isSame(each) ? { ...each, quantity: each.quantity + item.quantity } : each));
}

/** Pieces to scan at a stop, and how many of them are. */
export function scanTally(stop: LocalStop, draft: StopDraft): { readonly scanned: number; readonly planned: number } {
  const lines = stop.products.filter(needsScan).map((line) => lineNow(stop, line, draft));
  const planned = sum(lines, (line) => line.planned);
  return { planned, scanned: planned - sum(lines, ({ toScan }) => toScan) };
}

/** The stop that a driver is at: the latest begun one, else the first pending one. */
export function stopAtHand(route: Pick<LocalRoute, 'stops'>): LocalStop | undefined {
  const pending = route.stops.filter((stop) => stop.id !== warehouse && isPending(stop));
  return pending.findLast(({ arrived }) => arrived) ?? pending[0];
}

/** Codes in the camera's view, each with the last time it was seen. */
export type InView = ReadonlyMap<string, number>;

/** A code that left the view for this long counts again; shorter gaps are blurred frames. */
export const goneMs = 1200;

/** The view after a frame, and the codes that came into it: a code that stays in view is one scan. */
export function afterFrame(
  view: InView,
  codes: readonly string[],
  now: number,
): { readonly view: InView; readonly fresh: readonly string[] } {
  const seen = new Map([...view].filter(([, at]) => now - at < goneMs));
  const fresh = [...new Set(codes)].filter((code) => !seen.has(code));
  for (const code of codes) seen.set(code, now);
  return { view: seen, fresh };
}

/** Keys as they arrive, to distinguish a hardware scanner from fingers. */
export interface Burst {
  readonly text: string;
  readonly startedAt: number;
  readonly lastAt: number;
}

export const noBurst: Burst = { text: '', startedAt: 0, lastAt: 0 };

/** A scanner sends its keys within milliseconds; a busy phone delivers them slower. ms a key, on average. */
const slowestKeyMs = 100;
/** A longer pause ends a burst. */
const longestPauseMs = 600;
const shortestBurst = 4;

/** One key: the burst so far, and the code where the key ends one (Enter or Tab). */
export function afterKey(burst: Burst, key: string, now: number): { readonly burst: Burst; readonly code?: string } {
  const isFresh = burst.text === '' || now - burst.lastAt > longestPauseMs;
  const before = isFresh ? { text: '', startedAt: now, lastAt: now } : burst;
  if (key === 'Enter' || key === 'Tab') {
    const { text, startedAt } = before;
    const isFast = text.length >= shortestBurst && now - startedAt <= slowestKeyMs * text.length;
    return isFast ? { burst: noBurst, code: text } : { burst: noBurst };
  }
  // Shift and the like come before a letter.
  if (key.length !== 1) return { burst: before };
  return { burst: { ...before, text: before.text + key, lastAt: now } };
}
