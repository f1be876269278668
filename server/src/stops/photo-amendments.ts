import type { StopResult } from '@tailgate/sync-protocol';
import { assetId, lineKey } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import type { LineAmendments, LineName } from './line-amendments.ts';

type PhotoRow = ServicePart<'RTIMGP'>;

/** One photo in a file: its place among those of its line, and its asset id, or blank. */
interface PhotoChange {
  readonly place: number;
  readonly asset: string;
}

/** RTIMGP as confirmed and as it is now, and changed values of RTPRUP.RQIMG by line. */
interface PhotoRows {
  readonly shadow: readonly PhotoRow[];
  readonly host: readonly PhotoRow[];
  readonly first: readonly { readonly line: LineName; readonly asset: string }[];
}

/**
 * Applies the office's changes of line photos to the mirror's present ones. A blank removes a photo from its line. The
 * photo of an overage item can change, but not go away. Photos of a whole stop have no field.
 *
 * @returns the new photos of overage items, by the number of their RTOSDP row (`O 1`)
 */
export function amendPhotos(
  result: StopResult,
  { shadow, host, first }: PhotoRows,
  lines: LineAmendments,
  unmapped: string[],
): Map<string, string> {
  const before = new Map(shadow.map((row) => [nameOf(row), row.RIASS]));
  const there = new Set(host.map(nameOf));
  // Clean-ups delete rows: the office removes a photo by a blank.
  let isMapped = shadow.every((row) => row.RIASS === '' || there.has(nameOf(row)));
  const changes = new Map<string, { line: LineName; photos: PhotoChange[] }>();
  const overage = new Map<string, string>();
  for (const row of host) {
    const { RIASS: asset, RIQTYP, RILIN, RISEQ } = row;
    if (asset === (before.get(nameOf(row)) ?? '')) continue;
    const line = lineOf(row);
    if (asset !== '' && !assetId.safeParse(asset).success) isMapped = false;
    else if (line) addPhoto(changes, line, { place: Number(RISEQ) - 1, asset });
    else if (RIQTYP === 'O' && asset !== '') overage.set(`O ${RILIN}`, asset);
    else isMapped = false;
  }
  if (!isMapped) unmapped.push('RTIMGP');
  for (const { line, asset } of first) {
    // The file with all photos decides.
    if (changes.has(keyOf(line))) continue;
    if (asset === '' || assetId.safeParse(asset).success) addPhoto(changes, line, { place: 0, asset });
    else unmapped.push('RTPRUP.RQIMG');
  }
  for (const { line, photos } of changes.values()) {
    const touched = result[line.kind]?.[lineKey(line.id, line.invoice, line.n)];
    lines.change(line, { image_ids: amended(touched?.image_ids ?? [], photos) });
  }
  return overage;
}

function amended(before: readonly string[], changes: readonly PhotoChange[]): string[] {
  const after: (string | undefined)[] = [...before];
  for (const { place, asset } of changes) {
    if (asset === '') after[place] = undefined;
    // A row without a number (RISEQ 0), or behind the last photo: it is added.
    else if (place >= 0 && place < after.length) after[place] = asset;
    else after.push(asset);
  }
  return after.filter((asset) => asset !== undefined);
}

function addPhoto(
  changes: Map<string, { line: LineName; photos: PhotoChange[] }>,
  line: LineName,
  photo: PhotoChange,
): void {
  const known = changes.get(keyOf(line));
  if (known) known.photos.push(photo);
  else changes.set(keyOf(line), { line, photos: [photo] });
}

function lineOf({ RIQTYP, RIITM, RIINV, RILIN }: PhotoRow): LineName | undefined {
  if ((RIQTYP !== 'P' && RIQTYP !== 'C') || RIITM === '' || Number(RILIN) < 1) return undefined;
  return { kind: RIQTYP === 'P' ? 'products' : 'collections', id: RIITM, invoice: RIINV, n: Number(RILIN) - 1 };
}

const keyOf = ({ kind, id, invoice, n }: LineName): string => `${kind}\t${lineKey(id, invoice, n)}`;
const nameOf = ({ RIQTYP, RIINV, RIITM, RILIN, RISEQ }: PhotoRow): string =>
  [RIQTYP, RIINV, RIITM, RILIN, RISEQ].join('\t');
