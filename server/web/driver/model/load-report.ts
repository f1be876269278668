import type { LocalRoute } from '@tailgate/client-sdk';
import type { LoadConditionReportInput } from '@tailgate/sync-protocol';
import { warehouse } from './order.ts';

/** A route has two reports: before it leaves the warehouse, and when it is back. */
export type ReportKind = 'leave' | 'return';

/** The sections of the interface, in its order. */
export const reportSections = [
  'stacking',
  'product_in_place',
  'plastic_cooler_counts',
  'plastic_dry_counts',
  'trailer_cleanliness',
] as const;
export type SectionKey = (typeof reportSections)[number];
export const sectionNamed = (name: string): SectionKey | undefined => reportSections.find((key) => key === name);

/** One section as far as it is filled in. Plain JSON (hence types, not interfaces): it is stored as it is. */
export type SectionDraft = {
  /** 1 poor to 5 good; 0 is not rated. */
  readonly rating: number;
  readonly reason: string;
  readonly comment: string;
  /** The file of the photo. */
  readonly photo: string | null;
};

export type ReportDraft = {
  readonly sections: Readonly<Record<SectionKey, SectionDraft>>;
  /** The change that recorded it last, and whether anything differs from that since. */
  readonly receipt: string | null;
  readonly changed: boolean;
};

/** The form of a route: both reports. It stays after they are recorded, so that a driver can correct them. */
export type Reports = Readonly<Record<ReportKind, ReportDraft>>;

/** A rating up to this one asks why. */
const asksWhy = 3;

const blank: SectionDraft = { rating: 0, reason: '', comment: '', photo: null };

const isRated = ({ rating }: SectionDraft): boolean => rating > 0;
export const hasNote = ({ reason, comment, photo }: SectionDraft): boolean =>
  reason.trim() !== '' || comment.trim() !== '' || photo !== null;
export const wantsNote = (section: SectionDraft): boolean =>
  isRated(section) && (section.rating <= asksWhy || hasNote(section));

/** Sections without a rating. */
export const unrated = ({ sections }: ReportDraft): SectionKey[] =>
  reportSections.filter((key) => !isRated(sections[key]));

/** Whether the form has ratings that no report has yet. */
export const isUnsaved = (report: ReportDraft): boolean =>
  report.changed && unrated(report).length < reportSections.length;

export const withSection = (
  reports: Reports,
  kind: ReportKind,
  key: SectionKey,
  section: Partial<SectionDraft>,
): Reports => {
  const before = reports[kind];
  const sections = { ...before.sections, [key]: { ...before.sections[key], ...section } };
  return { ...reports, [kind]: { ...before, sections, changed: true } };
};

export const withReceipt = (reports: Reports, kind: ReportKind, receipt: string): Reports => ({
  ...reports,
  [kind]: { ...reports[kind], receipt, changed: false },
});

/** The sections that a report lists. */
export const listed = ({ sections }: ReportDraft): SectionKey[] =>
  reportSections.filter((key) => isRated(sections[key]));

/**
 * The report of the rated sections. The same driver's second report of a kind is a revision of the first: its id is the
 * same. Both are made at the warehouse.
 */
export function reportOf(
  { key: { facility, id, week_end } }: Pick<LocalRoute, 'key'>,
  driver: string,
  kind: ReportKind,
  report: ReportDraft,
  at: number,
): LoadConditionReportInput {
  return {
    reportId: [facility, id, week_end, driver, kind].join('-'),
    loadId: `${id}-${week_end}`,
    stopId: String(warehouse),
    driverId: driver,
    capturedAt: new Date(at).toISOString(),
    sections: listed(report).map((key) => {
      const { rating, reason, comment, photo } = report.sections[key];
      return { key, rating, reason: reason.trim(), comment: comment.trim(), photos_id: photo ?? '' };
    }),
  };
}

/** The form in a stored value. Members that another version of the app wrote otherwise are left out. */
export function reportsOf(stored: unknown): Reports {
  const { leave, return: back } = memberOf(memberOf(stored)['reports']);
  return { leave: reportIn(leave), return: reportIn(back) };
}

/** The stored value of the form. */
export const storedReports = (reports: Reports) => ({ reports });

function reportIn(stored: unknown): ReportDraft {
  const { sections, receipt, changed } = memberOf(stored);
  const given = memberOf(sections);
  return {
    sections: {
      stacking: sectionIn(given['stacking']),
      product_in_place: sectionIn(given['product_in_place']),
      plastic_cooler_counts: sectionIn(given['plastic_cooler_counts']),
      plastic_dry_counts: sectionIn(given['plastic_dry_counts']),
      trailer_cleanliness: sectionIn(given['trailer_cleanliness']),
    },
    receipt: typeof receipt === 'string' ? receipt : null,
    changed: changed === true,
  };
}

function sectionIn(stored: unknown): SectionDraft {
  const { rating, reason, comment, photo } = memberOf(stored);
  const known = typeof rating === 'number' && Number.isInteger(rating) && rating >= 1 && rating <= 5;
  return {
    rating: known ? rating : blank.rating,
    reason: typeof reason === 'string' ? reason : '',
    comment: typeof comment === 'string' ? comment : '',
    photo: typeof photo === 'string' ? photo : null,
  };
}

const memberOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value instanceof Object ? Object.fromEntries(Object.entries(value)) : {};
