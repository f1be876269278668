import type { StopPlan, StopResult } from '@tailgate/sync-protocol';
import type { StopHistory } from '../history/contract.ts';
import type { LegalHold } from '../legal-holds/contract.ts';
import {
  withheldText,
  type EvidenceAct,
  type EvidenceFact,
  type EvidenceReport,
  type StopEvidence,
} from './evidence.ts';

// A pack without names: the numbers of employees, customers and items stay, and so do all hashes. Texts that a person
// writes can contain a name, so they are withheld, too.

/** Fields of a result with the name of a person, or with a text that a person writes. */
const personal = new Set([
  'store_emp_id',
  'store_emp_name',
  'driver_comments',
  'skip_refuse_driver_comment',
  'comment',
  'osd_emails',
  'open_action',
]);

export function withoutNames({ customer, ...plan }: StopPlan): StopPlan {
  const salesrep = { id: customer.contact.salesrep.id, name: '', phone: '' };
  return { ...plan, customer: { ...customer, contact: { phone: '', email: '', contact_email: '', salesrep } } };
}

/** A blank value stays blank: it shows that there was none. */
export function withoutTexts(result: StopResult): StopResult {
  const replaced = revive(JSON.stringify(result), (key, value) => {
    if (!personal.has(key) || value === '' || value === null) return value;
    if (Array.isArray(value)) return value.map(() => withheldText);
    return typeof value === 'string' ? withheldText : null;
  });
  // An author of the office is a name; one with a queue is a number.
  const by = replaced.by?.map((stamp) => (/^[0-9]*$/.test(stamp.by) ? stamp : { ...stamp, by: withheldText }));
  return by ? { ...replaced, by } : replaced;
}

const revive: (json: string, replace: (key: string, value: unknown) => unknown) => StopResult = JSON.parse;

export const withoutAuthor = (act: EvidenceAct): EvidenceAct => ({
  ...act,
  by: withheldText,
  reason: act.reason && withheldText,
  before: null,
  after: null,
});

export const withoutBody = (report: EvidenceReport): EvidenceReport => ({ ...report, body: null });

export const withoutReason = (kept: StopHistory['kept'][number]): StopHistory['kept'][number] => ({
  ...kept,
  reason: withheldText,
});

export const withoutAddress = (proof: StopHistory['proofs'][number]): StopHistory['proofs'][number] => ({
  ...proof,
  to: withheldText,
  by: withheldText,
});

export const withoutWriter = (hold: LegalHold): LegalHold => ({
  ...hold,
  reason: withheldText,
  placed_by: withheldText,
  released_by: hold.released_by && withheldText,
});

/**
 * The copy for the customer: the state of the stop as the delivery mail has it, and the hashes of its changes. What
 * happens inside the house stays there: acts, holds, addresses, reports, refused changes, names of the office, devices.
 */
export const customerCopy = (stop: StopEvidence): StopEvidence => ({
  ...stop,
  facts: stop.facts.map(withoutValues),
  kept: [],
  acts: [],
  proofs: [],
  reports: [],
  holds: [],
  host: { ...stop.host, parked_reason: '', skipped_by: null, skip_reason: null },
});

const withoutValues = (fact: EvidenceFact): EvidenceFact => ({
  ...fact,
  ...(fact.source === 'office' && { employee: withheldText, employee_name: '' }),
  device: '',
  app: '',
  warnings: [],
  body: null,
  changes: null,
});
