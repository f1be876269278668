import type {
  DeliverInput,
  LineChange,
  LineInput,
  LocalStop,
  OsdInput,
  OverageInput,
  StopInput,
} from '@tailgate/client-sdk';
import type { LineDraft, OverageDraft, ReasonDraft, ReturnDraft, StopDraft } from './draft.ts';
import type { Collection, OsdGroups, Product } from './lines.ts';
import { lineNow, needsCount, needsScan, recordedReasons, sum } from './lines.ts';
import { photoLine } from './stop-photos.ts';

/** The delivery that a draft describes: each line that the driver counted, all others as planned. */
export function deliveryOf(stop: LocalStop, draft: StopDraft, at: Date): DeliverInput {
  const carrier = photoLine(stop);
  const withPhotos = (line: Product | Collection, change: LineChange | undefined, unchanged: LineChange) => {
    if (line !== carrier || draft.photos.length === 0) return change ? [change] : [];
    const before = change?.image_ids ?? line.updates.image_ids ?? [];
    return [{ ...(change ?? unchanged), image_ids: [...new Set([before, draft.photos].flat(2))] }];
  };
  const products = stop.products.flatMap((line) => {
    const own = draft.lines[line.key];
    return withPhotos(line, own && lineChange(stop, line, draft, own), { key: line.key, delivered: line.quantity });
  });
  const collections = stop.collections.flatMap((line) =>
    withPhotos(line, returnChange(line, draft), { key: line.key }),
  );
  return {
    asPlanned: true,
    products,
    collections,
    end_delivery_time: at,
    ...(draft.signer !== '' && { store_emp_name: draft.signer }),
    ...(draft.signature !== null && { signature_id: draft.signature }),
    ...(draft.comment.trim() !== '' && { driver_comments: draft.comment.trim() }),
    ...(draft.overage.length > 0 && { overage_items: draft.overage.map(overageInput) }),
  };
}

function returnChange({ key }: Collection, draft: StopDraft): LineChange | undefined {
  const own = draft.returns[key];
  if (own === undefined) return undefined;
  const { returned, photos } = own;
  return { key, returned, accounting_complete: true, ...(photos && { image_ids: [...photos] }) };
}

/**
 * One line as it is recorded, in a delivery and in a correction.
 *
 * @param further reasons beside that of the draft: it has the rest of what the line lacks
 */
function lineChange(
  stop: LocalStop,
  line: Product,
  draft: StopDraft,
  own: LineDraft,
  further: OsdGroups = [],
): LineChange {
  const { delivered, planned, toScan } = lineNow(stop, line, draft);
  const handled = needsScan(line) ? own.scanned : needsCount(line) ? own.delivered : undefined;
  return {
    key: line.key,
    delivered,
    // The reasons of a counted line are those of the draft; none where it is complete.
    osd_data: own.reason?.code ? [...reasonInput(own, planned - delivered - piecesOf(further)), ...further] : [],
    ...(own.photos && { image_ids: [...own.photos] }),
    ...(own.pallets !== undefined && { delivered_pallets: own.pallets }),
    ...(own.returned !== undefined && { returned: own.returned }),
    accounting_complete: toScan === 0,
    ...(handled !== undefined && { action: { updates: { delivered: handled } } }),
  };
}

/** The first photo goes with the quantity; each further one is an entry of its own, which the interface allows. */
function reasonInput({ reason }: LineDraft, less: number): OsdInput[] {
  if (!reason || less <= 0) return [];
  const [first = null, ...more] = reason.photos;
  return [
    {
      osd_code: reason.code,
      data: [
        { quantity: less, comment: reason.comment.trim(), images_id: first },
        ...more.map((images_id) => ({ quantity: 0, images_id })),
      ],
    },
  ];
}

export const overageInput = ({ barcode, code, quantity, comment, photos }: OverageDraft): OverageInput => ({
  barcode,
  osd_code: code,
  quantity,
  comment: comment.trim(),
  images_id: photos[0] ?? null,
});

const noReason: ReasonDraft = { code: '', comment: '', photos: [] };

/** The recorded reason of a line, to start a correction from; the first one of several. */
export function recordedReason({ updates }: Product): ReasonDraft {
  const [first] = updates.osd_data;
  if (!first) return noReason;
  return {
    code: first.osd_code,
    comment: first.data[0]?.comment ?? '',
    photos: first.data.flatMap(({ images_id }) => images_id ?? []),
  };
}

/** The recorded reasons that a correction keeps beside the first one; none where they no longer fit what the line lacks. */
export function furtherReasons({ quantity, updates }: Product, delivered: number): OsdGroups {
  const further = updates.osd_data.slice(1);
  return piecesOf(further) < quantity - delivered ? further : [];
}

const piecesOf = (groups: OsdGroups): number => sum(recordedReasons(groups), ({ quantity }) => quantity);

/** One product of a delivered stop, counted again. Reasons that the driver has not touched stay as they are recorded. */
export function correctionOf(stop: LocalStop, line: Product, draft: StopDraft): Omit<StopInput, 'id'> {
  const own = draft.lines[line.key] ?? {};
  const { delivered } = lineNow(stop, line, draft);
  const further = furtherReasons(line, delivered);
  const { key: _, action, osd_data, ...counts } = lineChange(stop, line, draft, own, further);
  const isUntouched =
    delivered === line.updates.delivered &&
    JSON.stringify(own.reason ?? noReason) === JSON.stringify(recordedReason(line));
  const updates = { ...counts, ...(!isUntouched && { osd_data }) };
  return { products: upTo(stop.products, line, { updates, ...(action && { action }) }) };
}

/** One collection of a delivered stop, counted again; `photos` where they have changed. */
export const returnCorrectionOf = (
  stop: LocalStop,
  line: Collection,
  { returned, photos }: ReturnDraft,
): Omit<StopInput, 'id'> => ({
  collections: upTo(stop.collections, line, { updates: { returned, ...(photos && { image_ids: [...photos] }) } }),
});

type Named = Pick<Product, 'id' | 'invoice' | 'key'>;

/** The order identifies equal lines, so those before the changed one are named, too, without values. */
function upTo(lines: readonly Named[], { id, invoice, key }: Named, change: Omit<LineInput, 'id' | 'invoice'>) {
  return lines
    .slice(0, lines.findIndex((each) => each.key === key) + 1)
    .filter((each) => each.id === id && each.invoice === invoice)
    .map((each) => (each.key === key ? { id, invoice, ...change } : { id, invoice }));
}
