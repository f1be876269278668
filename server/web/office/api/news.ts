import type { AnyInput, OperationName } from './operations.ts';

const lists = ['parked', 'quarantine', 'incident', 'hold', 'device', 'host', 'proof', 'flag'] as const;

/** What changed: a route with its stops, a list, or anything. */
export type News =
  | { readonly subject: 'all' | (typeof lists)[number] }
  | { readonly subject: 'route'; readonly facility: string; readonly route_id: string; readonly week_end: string };

type Subject = News['subject'];

/** The subjects that an answer depends on. An operation without a row depends on all of them. */
const subjects: Partial<Record<OperationName, readonly Subject[]>> = {
  // A report of any phone is news of all devices: the slow reading beside the feed shows it.
  listRoutes: ['route', 'parked'],
  readOpsRoute: ['route', 'parked', 'host'],
  readOpsStop: ['route', 'parked', 'host', 'proof'],
  previewProof: ['route', 'proof'],
  previewEvidence: ['route', 'parked', 'host', 'quarantine'],
  compareStop: ['route', 'parked', 'host'],
  readStopHistory: ['route', 'parked', 'quarantine', 'host', 'proof'],
  verifyStopHistory: ['route'],
  search: ['route', 'parked', 'quarantine'],
  // A phone is silent after an hour, and each report of any phone is news: the slow reading shows it.
  readAttention: ['parked', 'quarantine', 'incident', 'flag', 'hold', 'host'],
  listIncidents: ['incident'],
  listFlags: ['flag'],
  listParked: ['parked'],
  readParked: ['parked'],
  listQuarantine: ['quarantine'],
  readQuarantined: ['quarantine'],
  listDevices: ['device', 'quarantine'],
  listHolds: ['hold'],
  listHostLag: ['host', 'hold'],
  listReconciliation: ['incident', 'host'],
  readDoctor: ['host'],
  readFirstLoad: ['host'],
  listDrills: ['incident'],
  listLegalHolds: [],
  listEvidenceLinks: [],
  readCaller: [],
};

/** Answers that a server computes for seconds: they are read at the opening of their page, and on request. */
const onRequest: readonly OperationName[] = ['readShadow'];

/** Whether an answer may have changed. @param isRead whether the component has read it: a failed reading is tried again */
export function concerns(name: OperationName, input: AnyInput, news: News, isRead = true): boolean {
  if (onRequest.includes(name)) return !isRead && news.subject === 'all';
  if (news.subject === 'all') return true;
  const wanted = subjects[name];
  if (wanted && !wanted.includes(news.subject)) return false;
  return news.subject !== 'route' || isOfRoute(input.params ?? input.query, news);
}

const keyFields = ['facility', 'route_id', 'week_end'] as const;

/** A request that names a route is about this one alone. */
function isOfRoute(asked: unknown, route: Extract<News, { subject: 'route' }>): boolean {
  if (!(asked instanceof Object)) return true;
  const named = new Map<string, unknown>(Object.entries(asked));
  return keyFields.every((field) => {
    const value = named.get(field);
    return value === undefined || value === '' || value === route[field];
  });
}

/** A line of the feed: its news where it has any, and the place behind it. */
export interface FeedLine {
  readonly type: string;
  readonly cursor: string | undefined;
  readonly beatSeconds: number | undefined;
  readonly news: News | undefined;
}

export function feedLineOf(text: string): FeedLine {
  const line: unknown = JSON.parse(text);
  const fields = new Map<string, unknown>(line instanceof Object ? Object.entries(line) : []);
  const textAt = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  const type = textAt('type');
  const beat = fields.get('beat_seconds');
  return {
    type,
    cursor: textAt('cursor') || undefined,
    beatSeconds: typeof beat === 'number' ? beat : undefined,
    news: type === 'reload' ? { subject: 'all' } : type === 'changed' ? newsOf(textAt) : undefined,
  };
}

/** A subject of a newer server may be in any answer. */
function newsOf(textAt: (name: string) => string): News {
  const subject = textAt('subject');
  if (subject === 'route')
    return {
      subject,
      facility: textAt('facility'),
      route_id: textAt('route_id'),
      week_end: textAt('week_end'),
    };
  return { subject: lists.find((each) => each === subject) ?? 'all' };
}
