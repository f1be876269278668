import type { SummarizedStop } from '../../../server/src/mail/delivery-summary.ts';
import type { StopReadings, KnownFile } from '../../../server/src/ops/evidence/stop-evidence.ts';
import { sha256 } from '../../../server/src/mutations/item.ts';

type History = StopReadings['history'];
type Mutation = History['mutations'][number];

/** A mutation of a history. */
export const mutationOf = (n: number, body: object, more: Partial<Mutation> = {}): Mutation => ({
  id: `0197b2c4-6e1f-7a02-9c3d-${String(n).padStart(12, '0')}`,
  version: n + 1,
  source: 'sync',
  result: 'applied',
  employee: '1001',
  employee_name: 'Dana Driver',
  client_id: '0197b2c4-0000-7000-8000-000000000001',
  seq: n,
  device: 'Pixel 8',
  app: 'driver 1.4',
  captured_at: '2026-11-20T16:05:30.000Z',
  edit_time: '2026-11-20T16:05:28.500Z',
  received_at: '2026-11-20T16:41:02.250Z',
  on_host: true,
  warnings: [],
  body: JSON.stringify(body),
  ...more,
});

/** A file whose bytes have come. */
export const fileHere = (id: string, more: Partial<KnownFile> = {}): KnownFile => ({
  id,
  batch: id,
  state: 'here',
  name: '',
  mime: 'image/jpeg',
  size: 4711,
  sha256: sha256(id).toString('hex'),
  received_at: '2026-11-20T16:42:00.000Z',
  ...more,
});

/** The readings of a stop, with these parts different. */
export function readingsOf(
  stop: SummarizedStop,
  { history = {}, ...more }: Partial<Omit<StopReadings, 'history'>> & { readonly history?: Partial<History> } = {},
): StopReadings {
  const mutations = history.mutations ?? [];
  return {
    stop,
    history: {
      facility: stop.route.facility,
      route_id: stop.route.id,
      week_end: stop.route.week_end,
      stop_id: stop.plan.id,
      status: stop.result.status,
      version: 2,
      host: {
        on_host: true,
        trace: '0A1B2C3D4E5F',
        sequence: 10_000_000_002,
        confirmed_at: '2026-11-20T16:42:10.000Z',
        parked_id: null,
        parked_since: null,
        parked_reason: '',
        skipped_at: null,
        skipped_by: null,
        skip_reason: null,
      },
      mutations,
      kept: [],
      files: [],
      mails: [],
      proofs: [],
      ...history,
    },
    expired: new Set(),
    seals: new Map(mutations.map(({ id, body }) => [id, { hash: sha256(body).toString('hex'), prev_hash: null }])),
    files: [],
    acts: [],
    reports: [],
    holds: [],
    ...more,
  };
}
