import type { LocalStop } from '@tailgate/client-sdk';
import type { LineDraft, StopDraft } from './draft.ts';

export type Product = LocalStop['products'][number];
export type Collection = LocalStop['collections'][number];

/** The recorded reasons of a line. */
export type OsdGroups = Product['updates']['osd_data'];

/** A reason, and how many pieces it has. */
export interface ReasonNow {
  readonly code: string;
  readonly quantity: number;
}

/** A product with the counts that hold now: the draft's, else the recorded ones, else the plan's. */
export interface LineNow {
  readonly line: Product;
  readonly draft: LineDraft | undefined;
  readonly planned: number;
  readonly delivered: number;
  /** Pieces that have to be scanned and were not; 0 once the driver has counted the line by hand. */
  readonly toScan: number;
  /** The office asks for a count of the line, and it has none yet. */
  readonly toCount: boolean;
  /** Reasons with their quantities, recorded or drafted. */
  readonly reasons: readonly ReasonNow[];
  readonly photos: number;
}

/** Whether the pieces of this line are scanned one by one. */
export const needsScan = (line: Product): boolean => line.action?.type === 'scan';

/** Whether the office asks for a count of this line, even where it is as planned. */
export const needsCount = (line: Product): boolean => line.action?.type === 'count';

/** Whether the stop's counts are recorded, so that another count is a correction. */
export const isCounted = (stop: LocalStop): boolean => stop.updates.status === 'D';

export function lineNow(stop: LocalStop, line: Product, draft: StopDraft): LineNow {
  const own = draft.lines[line.key];
  const isRecorded = isCounted(stop);
  const recorded = isRecorded ? line.updates.delivered : line.quantity;
  const scanned = needsScan(line) && !isRecorded ? (own?.scanned ?? 0) : undefined;
  const delivered = own?.delivered ?? scanned ?? recorded;
  const isByHand = own?.delivered !== undefined;
  const less = line.quantity - delivered;
  const drafted = own?.reason ? [{ code: own.reason.code, quantity: Math.max(0, less) }] : undefined;
  return {
    line,
    draft: own,
    planned: line.quantity,
    delivered,
    toScan: scanned === undefined || isByHand ? 0 : Math.max(0, line.quantity - scanned),
    toCount: needsCount(line) && !isByHand && !isRecorded,
    reasons: drafted ?? (own?.delivered === undefined ? recordedReasons(line.updates.osd_data) : []),
    photos: (own?.reason?.photos.length ?? 0) + (own?.photos?.length ?? line.updates.image_ids?.length ?? 0),
  };
}

export const recordedReasons = (groups: OsdGroups): ReasonNow[] =>
  groups.map(({ osd_code, data }) => ({ code: osd_code, quantity: sum(data, ({ quantity }) => quantity) }));

export interface SectionNow {
  /** `scan`, or the host's name of the section, such as CASES. */
  readonly id: string;
  readonly isScan: boolean;
  readonly lines: readonly LineNow[];
  readonly planned: number;
  readonly delivered: number;
  readonly toScan: number;
  /** Pieces of lines that the office wants counted, and that are not. */
  readonly toCount: number;
}

/** The products of a stop by section. Lines to scan come first, in sections of their own; the rest as the plan has it. */
export function sectionsOf(stop: LocalStop, draft: StopDraft): SectionNow[] {
  const bySection = new Map<string, LineNow[]>();
  for (const line of stop.products) {
    const id = `${needsScan(line) ? 'scan' : 'plan'}:${line.section}`;
    const lines = bySection.get(id) ?? [];
    lines.push(lineNow(stop, line, draft));
    bySection.set(id, lines);
  }
  return [...bySection]
    .map(([id, lines]) => ({
      id: id.slice(5),
      isScan: id.startsWith('scan'),
      lines,
      planned: sum(lines, ({ planned }) => planned),
      delivered: sum(lines, ({ delivered }) => delivered),
      toScan: sum(lines, ({ toScan }) => toScan),
      toCount: sum(lines, ({ toCount, planned }) => (toCount ? planned : 0)),
    }))
    .sort((a, b) => Number(b.isScan) - Number(a.isScan));
}

/** Totals of a stop. */
export interface Tally {
  readonly planned: number;
  readonly delivered: number;
  readonly toScan: number;
  readonly toCollect: number;
  readonly collected: number;
  readonly overage: number;
}

/** The plan brings nothing to this stop: goods only go back. */
export const isPickup = ({ products }: LocalStop): boolean => products.every(({ quantity }) => quantity === 0);

export function tallyOf(stop: LocalStop, draft: StopDraft): Tally {
  const lines = stop.products.map((line) => lineNow(stop, line, draft));
  const overage = [...(stop.updates.overage_items ?? []), ...draft.overage];
  return {
    planned: sum(lines, ({ planned }) => planned),
    delivered: sum(lines, ({ delivered }) => delivered),
    toScan: sum(lines, ({ toScan }) => toScan),
    toCollect: sum(stop.collections, ({ quantity }) => quantity),
    collected: sum(stop.collections, (line) => returnedNow(line, draft)),
    overage: sum(overage, ({ quantity }) => quantity),
  };
}

export const returnedNow = (line: Collection, draft: StopDraft): number =>
  draft.returns[line.key]?.returned ?? line.updates.returned;

export const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
