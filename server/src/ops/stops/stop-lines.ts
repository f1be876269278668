import type { LineResult, OsdGroup, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { keyedLines } from '@tailgate/sync-protocol';
import type { StopException, StopFile, StopLine } from './contract.ts';

/** The meaning of a code of exceptions; blank where the list does not have it. */
export type Meaning = (code: string) => string;

type Planned = StopPlan['products'][number] | StopPlan['collections'][number];

/** The lines of the plan with their results, then recorded lines beyond the plan. */
export function stopLines({ products, collections }: StopPlan, result: StopResult, meaning: Meaning): StopLine[] {
  return [
    ...linesOf('product', products, result.products ?? {}, meaning),
    ...linesOf('collection', collections, result.collections ?? {}, meaning),
  ];
}

function linesOf(
  kind: StopLine['kind'],
  planned: readonly Planned[],
  results: Readonly<Record<string, LineResult>>,
  meaning: Meaning,
): StopLine[] {
  const left = new Map(Object.entries(results));
  const lines = keyedLines(planned).map(({ line, n, key }) => {
    const recorded = left.get(key);
    left.delete(key);
    return lineOf(kind, { id: line.id, invoice: line.invoice, n }, line, recorded, meaning);
  });
  const beyond = [...left.values()].map((recorded) => lineOf(kind, recorded, undefined, recorded, meaning));
  return [...lines, ...beyond];
}

function lineOf(
  kind: StopLine['kind'],
  { id, invoice, n }: Pick<LineResult, 'id' | 'invoice' | 'n'>,
  planned: Planned | undefined,
  recorded: LineResult | undefined,
  meaning: Meaning,
): StopLine {
  return {
    kind,
    id,
    invoice,
    n,
    name: planned?.name ?? recorded?.item_name ?? '',
    description: planned?.description ?? '',
    section: planned?.section ?? '',
    container_type: planned?.container_type ?? '',
    planned: planned?.quantity ?? null,
    delivered: recorded?.delivered ?? null,
    returned: recorded?.returned ?? null,
    delivered_pallets: recorded?.delivered_pallets ?? null,
    accounting_complete: recorded?.accounting_complete ?? false,
    action: recorded?.action_type ?? actionOf(planned),
    action_delivered: recorded?.action_delivered ?? null,
    photos: [...(recorded?.image_ids ?? [])],
    exceptions: [...exceptionsOf(recorded?.osd_data, meaning), ...exceptionsOf(recorded?.action_osd_data, meaning)],
  };
}

const actionOf = (planned: Planned | undefined): string | null =>
  planned && 'action_type' in planned && planned.action_type !== '' ? planned.action_type : null;

const exceptionsOf = (groups: readonly OsdGroup[] = [], meaning: Meaning): StopException[] =>
  groups.flatMap(({ osd_code: code, data }) =>
    data.map(({ quantity, quantity_type, comment, barcodes, images_id }) => ({
      code,
      meaning: meaning(code),
      quantity,
      quantity_type,
      comment,
      barcode: barcodes,
      asset_id: images_id,
    })),
  );

export const overageOf = ({ updates }: StopResult, meaning: Meaning): StopException[] =>
  (updates?.overage_items ?? []).map(({ osd_code: code, quantity, comment, barcode, images_id }) => ({
    code,
    meaning: meaning(code),
    quantity,
    quantity_type: null,
    comment,
    barcode,
    asset_id: images_id,
  }));

/** The line that names each photo; a photo of several lines belongs to the first one. */
export function linesOfPhotos(lines: readonly StopLine[]): ReadonlyMap<string, NonNullable<StopFile['line']>> {
  const places = new Map<string, NonNullable<StopFile['line']>>();
  for (const { id, invoice, photos, exceptions } of lines) {
    const named = [...photos, ...exceptions.flatMap(({ asset_id }) => asset_id ?? [])];
    for (const asset of named) if (!places.has(asset)) places.set(asset, { id, invoice });
  }
  return places;
}
