import { metersBetween, type StopResult } from '@tailgate/sync-protocol';
import type { Withheld } from '../../../verify/src/format.ts';
import { deliverySummary, type SummarizedStop } from '../../mail/delivery-summary.ts';
import { filesByName } from '../../mail/pictures.ts';
import type { DeliverySummary, PictureReference } from '../../mail/summary.ts';
import { missingParts } from '../../stops/missing-parts.ts';
import type { StopHistory } from '../history/contract.ts';
import { placeName } from '../history/chain.ts';
import { changesGone, changesOf } from './custody.ts';
import {
  withheldText,
  type EvidenceAct,
  type EvidenceFact,
  type EvidenceFile,
  type EvidencePosition,
  type EvidenceReport,
  type MissingEvidence,
  type StopEvidence,
} from './evidence.ts';
import { memberOf } from './member-name.ts';
import {
  withoutAddress,
  withoutAuthor,
  withoutBody,
  withoutNames,
  withoutReason,
  withoutTexts,
  withoutWriter,
} from './withhold.ts';

/** The link of a change in its queue. */
export interface Seal {
  readonly hash: string;
  readonly prev_hash: string | null;
}

/** A known file. */
export interface KnownFile {
  readonly id: string;
  readonly batch: string;
  readonly state: EvidenceFile['state'];
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly received_at: string | null;
}

/** Everything that the database has about a stop. */
export interface StopReadings {
  readonly stop: SummarizedStop;
  readonly history: StopHistory;
  /** By mutation. */
  readonly seals: ReadonlyMap<string, Seal>;
  /** The changes that retention is known to have deleted, by `placeName`. */
  readonly expired: ReadonlySet<string>;
  /** The named files, and those of their uploads. */
  readonly files: readonly KnownFile[];
  readonly acts: readonly EvidenceAct[];
  readonly reports: readonly EvidenceReport[];
  readonly holds: StopEvidence['holds'];
}

/** The evidence of a stop in its present state. Pure. @param without the parts that the pack leaves out */
export function stopEvidence(readings: StopReadings, without: ReadonlySet<Withheld>): StopEvidence {
  const { history, acts, reports, holds } = readings;
  const hidesNames = without.has('names');
  const stop = hidesNames ? nameless(readings.stop) : readings.stop;
  const { route, facility, zone, plan, result } = stop;
  const summary = deliverySummary(stop);
  const files = filesOf(summary, readings.files, without);
  const unless = <Part>(parts: readonly Part[], hide: (part: Part) => Part): readonly Part[] =>
    hidesNames ? parts.map(hide) : parts;
  const position = positionOf(stop);
  return {
    place: {
      facility: route.facility,
      facility_name: facility,
      zone,
      route_id: route.id,
      route_name: route.name,
      week_end: route.week_end,
      stop_id: plan.id,
    },
    status: result.status,
    version: history.version,
    nothing_delivered: nothingDelivered(result, summary),
    missing: [...missingOf({ result, summary, files, position, history }), ...goneOf(readings)],
    summary,
    position,
    plan,
    result,
    facts: factsOf(readings, hidesNames),
    kept: [...unless(history.kept, withoutReason)],
    files,
    acts: unless(acts, withoutAuthor),
    mails: history.mails,
    proofs: [...unless(history.proofs, withoutAddress)],
    reports: unless(reports, withoutBody),
    holds: unless(holds, withoutWriter),
    host: hidesNames ? { ...history.host, skipped_by: null, skip_reason: null } : history.host,
  };
}

const nameless = (stop: SummarizedStop): SummarizedStop => ({
  ...stop,
  plan: withoutNames(stop.plan),
  result: withoutTexts(stop.result),
  drivers: {},
});

function factsOf({ history: { mutations }, seals }: StopReadings, hidesNames: boolean): EvidenceFact[] {
  const changes = changesOf(mutations);
  return mutations.map((mutation, i) => {
    const seal = seals.get(mutation.id) ?? { hash: '', prev_hash: null };
    const fact = { ...mutation, ...seal, changes: changes[i] ?? [] };
    if (!hidesNames) return fact;
    // An author of the office is a name, and a warning can repeat a text.
    return {
      ...fact,
      employee: mutation.source === 'office' ? withheldText : mutation.employee,
      employee_name: '',
      device: '',
      warnings: [],
      body: null,
      changes: null,
    };
  });
}

/** The files in the order of the summary: the signature, then the photos. */
function filesOf(
  summary: DeliverySummary,
  known: readonly KnownFile[],
  without: ReadonlySet<Withheld>,
): EvidenceFile[] {
  const named: (PictureReference & { label: string; isSignature: boolean })[] = [
    ...(summary.signature ? [{ ...summary.signature, label: 'Signature', isSignature: true }] : []),
    ...summary.photos.map((photo, i) => ({ ...photo, label: `Photo ${i + 1}`, isSignature: false })),
  ];
  const filesOfName = filesByName(
    known,
    named.map(({ asset }) => asset),
  );
  return named.flatMap(({ asset, caption, label, isSignature }) => {
    const hides = without.has('photos') || (isSignature && without.has('names'));
    const files = filesOfName(asset);
    if (files.length === 0) {
      const none = { mime: '', size: 0, received_at: null, sha256: null, member: null } as const;
      return [{ ...none, asset_id: asset, label, caption, state: 'awaited' as const, why: reasons.awaited }];
    }
    return files.map(({ id, state, mime, size, sha256, received_at }): EvidenceFile => {
      const why = state === 'here' ? (hides ? reasons.withheld : '') : reasons[state];
      const member = why === '' ? memberOf({ id, mime }) : null;
      return { asset_id: id, label, caption, state, mime, size, sha256, received_at, member, why };
    });
  });
}

const reasons = {
  awaited: 'It is still on its way.',
  missing: 'It was named, and it did not come within a day.',
  deleted: 'Its bytes were deleted at the end of their retention.',
  withheld: 'This pack leaves it out on request.',
} as const;

function positionOf({ plan, result: { updates } }: SummarizedStop): EvidencePosition | null {
  const { delivery_latitude: latitude, delivery_longitude: longitude } = updates ?? {};
  if (!latitude || !longitude) return null;
  const meters = metersBetween({ latitude, longitude }, plan.customer.location.coordinates);
  return { latitude, longitude, meters_to_customer: meters };
}

/** A sentence where nothing was delivered; else blank. */
function nothingDelivered({ status }: StopResult, { products }: DeliverySummary): string {
  if (status === 'P') return 'Nothing was delivered: the record has no delivery, no skip and no refusal.';
  if (status === 'S') return 'Nothing was delivered: the driver skipped the stop.';
  if (status === 'R') return 'Nothing was delivered: the store refused the delivery.';
  const counts = products.flatMap(({ lines }) => lines.flatMap(({ delivered }) => delivered ?? []));
  const isNone = counts.length > 0 && counts.every((count) => count === 0);
  return isNone ? 'Nothing was delivered: every recorded count is 0.' : '';
}

interface Shown extends Pick<StopEvidence, 'result' | 'summary' | 'files' | 'position'> {
  readonly history: StopHistory;
}

const partWords = {
  delivery: 'The stop is not delivered.',
  receiver: 'The driver has recorded no receiver.',
  signature: 'The driver has recorded no signature.',
} as const;

/** The missing parts, each in a sentence. A skip and a refusal need a reason, no receiver and no signature. */
function missingOf({ result, summary, files, position, history }: Shown): MissingEvidence[] {
  const { status } = result;
  const isSkip = status === 'S' || status === 'R';
  const parts = isSkip ? [] : missingParts(result, true);
  const named = parts.flatMap((part) => (part === 'files' ? [] : [{ part, what: partWords[part] }]));
  const lines = summary.products.flatMap((group) => group.lines);
  const uncounted = lines.filter(({ delivered }) => delivered === undefined).length;
  const open = history.kept.filter(({ state }) => state === 'open').length;
  return [
    ...named,
    ...missing('reason', isSkip && !result.updates?.skip_refuse_reason_code, 'The driver has recorded no reason.'),
    ...missing('counts', status === 'D' && uncounted > 0, `${uncounted} of ${lines.length} lines have no count.`),
    ...missing('position', status !== 'P' && position === null, 'The driver has recorded no position.'),
    ...files
      .filter(({ state }) => state !== 'here')
      .map(({ label, asset_id, why }) => ({ part: 'file' as const, what: `${label} (${asset_id}): ${why}` })),
    ...missing('change', open > 0, `${open} changes of this stop wait for the office and are not in this state.`),
  ];
}

/** A deletion by hand is no deletion by age. */
function goneOf({ stop: { result }, history: { mutations }, expired }: StopReadings): MissingEvidence[] {
  const gone = changesGone(result, mutations);
  const deleted = gone.filter(({ client, seq }) => expired.has(placeName(client, seq))).length;
  const unknown = gone.length - deleted;
  const words = 'changes behind this state are on record no more';
  return [
    ...missing('record', deleted > 0, `${deleted} ${words}: retention deleted them.`),
    ...missing('record', unknown > 0, `${unknown} ${words}, and the record does not say why.`),
  ];
}

const missing = (part: MissingEvidence['part'], isMissing: boolean, what: string): MissingEvidence[] =>
  isMissing ? [{ part, what }] : [];

/** The evidence with files whose stored bytes are not those of their receipt. @param damaged the reason, by asset */
export function withDamaged(stop: StopEvidence, damaged: ReadonlyMap<string, string>): StopEvidence {
  const whyOf = ({ asset_id, member }: EvidenceFile): string | undefined =>
    member === null ? undefined : damaged.get(asset_id);
  if (!stop.files.some(whyOf)) return stop;
  return {
    ...stop,
    files: stop.files.map((file) => {
      const why = whyOf(file);
      return why === undefined ? file : { ...file, member: null, why };
    }),
    missing: [
      ...stop.missing,
      ...stop.files.flatMap((file) => {
        const why = whyOf(file);
        return why === undefined ? [] : [{ part: 'file' as const, what: `${file.label} (${file.asset_id}): ${why}` }];
      }),
    ],
  };
}
