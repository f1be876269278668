import type { StopPlan, StopResult, StopStatus } from '@tailgate/sync-protocol';
import type { DeliverySummary } from '../../mail/summary.ts';
import type { LegalHold } from '../legal-holds/contract.ts';
import type { HistoryFile, HostStatus, LedgerEntry, StopHistory } from '../history/contract.ts';
import type { FieldChange } from './custody.ts';

// The content of an evidence pack, as `pack.json` has it. Shapes only. A new part is a new member; a member never
// changes its meaning within this format.

/** In place of a withheld text. */
export const withheldText = '[withheld]';

/** In a pack, or a document that goes out alone, where a checkpoint has no signature of a witness, or not yet. */
export const unwitnessedText = 'No outside witness had signed all checkpoints of these facts when this was made.';

/** The key of a stop, with the names of its facility and route. */
export interface EvidencePlace {
  readonly facility: string;
  readonly facility_name: string;
  /** IANA zone of the facility; blank where unknown. */
  readonly zone: string;
  readonly route_id: string;
  readonly route_name: string;
  readonly week_end: string;
  readonly stop_id: number;
}

/** The parts that the evidence of a stop can lack. */
export const evidenceParts = [
  'delivery',
  'receiver',
  'signature',
  'counts',
  'position',
  'reason',
  'file',
  'change',
  'record',
] as const;

/** A part that the evidence of such a stop has, and this one has not. */
export interface MissingEvidence {
  readonly part: (typeof evidenceParts)[number];
  /** A sentence. */
  readonly what: string;
}

/** One accepted change of the stop. */
export interface EvidenceFact extends Omit<LedgerEntry, 'body'> {
  /** SHA-256 of `body`, in hexadecimal. It stays where the body is withheld. */
  readonly hash: string;
  /** The seal of the item before it in its queue; null for the first one, and for a change without a queue. */
  readonly prev_hash: string | null;
  /** The text that the phone sealed, byte for byte; null where it is withheld. */
  readonly body: string | null;
  /** The values that it sets; null where they are withheld. */
  readonly changes: readonly FieldChange[] | null;
}

/** A file that the stop names, or one of the upload that it names. */
export interface EvidenceFile extends Omit<HistoryFile, 'state' | 'on_host'> {
  /** `Signature`, `Photo 1`. Files of one upload share it. */
  readonly label: string;
  readonly caption: string;
  /** `deleted`: its bytes were deleted after their time. */
  readonly state: HistoryFile['state'] | 'deleted';
  /** SHA-256 of its bytes, in hexadecimal, as computed at their receipt; null where no bytes have come. */
  readonly sha256: string | null;
  /** Its member of the pack; null where the pack does not have it. */
  readonly member: string | null;
  /** Why the pack does not have it; blank where it does. */
  readonly why: string;
}

/** An act of the office on the stop, or on its whole route. */
export interface EvidenceAct {
  readonly act_id: string;
  readonly at: string;
  readonly by: string;
  readonly act: string;
  readonly subject_kind: string;
  readonly subject: string;
  /** Null: on the whole route. */
  readonly stop_id: number | null;
  readonly reason: string;
  /** JSON, as text; null where there is none or where it is withheld. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A load condition report of the route's load by a driver of the route: its latest revision. */
export interface EvidenceReport {
  readonly report_id: string;
  readonly revision: number;
  readonly driver_id: string;
  readonly captured_at: string;
  readonly received_at: string;
  /** JSON, as text, as received; null where it is withheld. */
  readonly body: string | null;
}

export interface EvidencePosition {
  readonly latitude: string;
  readonly longitude: string;
  /** To the coordinates of the customer; null where they are unknown. */
  readonly meters_to_customer: number | null;
}

/** The evidence of one stop. */
export interface StopEvidence {
  readonly place: EvidencePlace;
  readonly status: StopStatus;
  /** The route version of its last change. */
  readonly version: number;
  /** A sentence that says so, for a stop without a delivery; else blank. */
  readonly nothing_delivered: string;
  readonly missing: readonly MissingEvidence[];
  /** The present state in words: the content of the delivery mail. */
  readonly summary: DeliverySummary;
  readonly position: EvidencePosition | null;
  readonly plan: StopPlan;
  readonly result: StopResult;
  /** The oldest first. */
  readonly facts: readonly EvidenceFact[];
  /** Changes that the server has not applied. */
  readonly kept: StopHistory['kept'];
  readonly files: readonly EvidenceFile[];
  readonly acts: readonly EvidenceAct[];
  readonly mails: StopHistory['mails'];
  readonly proofs: StopHistory['proofs'];
  readonly reports: readonly EvidenceReport[];
  /** Legal holds that cover or have covered the stop, the oldest first. */
  readonly holds: readonly LegalHold[];
  readonly host: HostStatus;
}
