import { hostLengths, hostText, type RouteKey, type StopResult } from '@tailgate/sync-protocol';
import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { recipientsOf } from '../../mail/recipients.ts';
import { statusTime } from '../../stops/event-time.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import { readPlan, readResult } from '../../stops/stored-documents.ts';
import { AppError } from '../../wire/errors.ts';
import { listFiles, listMails } from '../history/history-sql.ts';
import {
  fileOf,
  hostStatusOf,
  orNotFound,
  readProofs,
  readStopState,
  type FileRow,
  type MailRow,
  type Missing,
} from '../history/history.ts';
import { plannedAt } from '../routes/planned-times.ts';
import { summaryOf, type SummaryRow } from '../routes/stop-summary.ts';
import { compareStop, type ReadHostStop } from './compare.ts';
import type { OpsStop, OpsStopParams, Receipts, ScreenText, StopFile, StopLine } from './contract.ts';
import { opsStopOperations } from './contract.ts';
import { momentOf } from './moments.ts';
import { linesOfPhotos, overageOf, stopLines } from './stop-lines.ts';
import * as sql from './stops-sql.ts';

export interface OpsStopDeps {
  readonly db: Db;
  readonly clock: () => Date;
  readonly hostCatalog: { readonly readStop: ReadHostStop };
}

type StopRow = SummaryRow & { readonly route_name: string; readonly first_eta: string };

/** One stop in full. */
async function readOpsStop(db: Queryable, key: RouteKey, stop: number): Promise<OpsStop | Missing> {
  const state = await readStopState(db, key, stop);
  if ('missing' in state) return state;
  const place = [key.facility, key.id, key.week_end, stop];
  const result = readResult(state.doc);
  const [stops, mails, proofs, reasons, receipts] = await Promise.all([
    db.query<StopRow & Record<string, unknown>>(sql.readOpsStop, place),
    db.query<MailRow>(listMails, place),
    readProofs(db, key, stop),
    readReasons(db),
    readReceipts(db, place),
  ]);
  const [row] = stops.rows;
  if (!row) return { missing: 'stop' };
  const plan = readPlan(row.plan);
  const host = hostStatusOf(state, key, stop);
  const summary = summaryOf(row, row.first_eta);
  const updates = result.updates ?? {};
  const lines = stopLines(plan, result, reasons.credit);
  const { zone } = summary;
  const day = { dispatchedOn: row.dispatched_on, zone, firstEta: row.first_eta };
  const recipients = recipientsOf(plan.customer.contact, updates.osd_emails ?? [], 'current');
  return {
    summary,
    route_name: row.route_name,
    customer: plan.customer,
    times: {
      planned: momentOf(plannedAt(plan.eta, day), zone),
      started: momentOf(updates.start_delivery_time, zone),
      ended: momentOf(updates.end_delivery_time, zone),
      skipped: momentOf(updates.skip_refuse_timestamp, zone),
      status: momentOf(result.status === 'P' ? null : statusTime(result), zone),
    },
    arrived: result.arrived ?? false,
    follow_up: codeUsed(updates.followup_reason_code, reasons.stop),
    skip_reason: codeUsed(updates.skip_refuse_reason_code, reasons.stop),
    skip_comment: screenText(updates.skip_refuse_driver_comment, hostLengths.skip_refuse_driver_comment),
    comment: screenText(updates.driver_comments, hostLengths.driver_comments),
    received_by: { id: updates.store_emp_id ?? '', name: updates.store_emp_name ?? '' },
    delivered_by: updates.delivered_by_driver_id ?? '',
    position: positionOf(updates),
    signature_id: updates.signature_id ?? null,
    lines,
    overage: overageOf(result, reasons.credit),
    osd_emails: [...(updates.osd_emails ?? [])],
    mail_recipients: [...recipients.to, ...recipients.cc],
    files: await readFiles(db, result, lines),
    mails: mails.rows.map(({ mutation_id, sent_at }) => ({ mutation_id, sent_at: sent_at.toISOString() })),
    proofs,
    receipts: receipts && { ...receipts, host_at: host.on_host ? host.confirmed_at : null },
    host,
  };
}

const positionOf = ({
  delivery_latitude: latitude,
  delivery_longitude: longitude,
}: NonNullable<StopResult['updates']>): OpsStop['position'] => (latitude && longitude ? { latitude, longitude } : null);

function codeUsed(code: string | null | undefined, meaning: (code: string) => string): OpsStop['skip_reason'] {
  return code ? { code, meaning: meaning(code) } : null;
}

function screenText(text: string | null | undefined, length: number): ScreenText | null {
  if (!text) return null;
  const { text: onScreen, altered } = hostText(text, length);
  return { text, on_screen: onScreen, altered };
}

interface Reasons {
  readonly credit: (code: string) => string;
  readonly stop: (code: string) => string;
}

async function readReasons(db: Queryable): Promise<Reasons> {
  const { rows } = await db.query<{ type: string; code: string; description: string }>(sql.listReasons);
  const known = new Map(rows.map(({ type, code, description }) => [`${type} ${code}`, description]));
  return {
    credit: (code) => known.get(`credit-reason ${code}`) ?? '',
    stop: (code) => known.get(`stop-exception ${code}`) ?? '',
  };
}

type ChangeRow = Pick<Receipts, 'mutation_id' | 'source' | 'employee' | 'employee_name'> & {
  readonly captured_at: Date | null;
  readonly received_at: Date;
};

async function readReceipts(db: Queryable, place: unknown[]): Promise<Omit<Receipts, 'host_at'> | null> {
  const { rows } = await db.query<ChangeRow>(sql.readLatestChange, place);
  const [row] = rows;
  if (!row) return null;
  const { mutation_id, source, employee, employee_name, captured_at, received_at } = row;
  return {
    mutation_id,
    source,
    employee,
    employee_name,
    phone_at: captured_at?.toISOString() ?? null,
    server_at: received_at.toISOString(),
  };
}

async function readFiles(db: Queryable, result: StopResult, lines: readonly StopLine[]): Promise<StopFile[]> {
  const ids = [...evidenceOf(result)];
  if (ids.length === 0) return [];
  const [files, named] = await Promise.all([
    db.query<FileRow>(listFiles, [ids]),
    db.query<{ id: string; name: string }>(sql.listFileNames, [ids]),
  ]);
  const names = new Map(named.rows.map(({ id, name }) => [id, name]));
  const places = linesOfPhotos(lines);
  return files.rows.map((row) => ({
    ...fileOf(row),
    name: names.get(row.asset_id) ?? '',
    use: row.asset_id === result.updates?.signature_id ? 'signature' : 'photo',
    line: places.get(row.asset_id) ?? null,
  }));
}

/** Operators: one stop. */
export function opsStopEndpoints({ db, clock, hostCatalog }: OpsStopDeps) {
  return {
    readOpsStop: endpoint(opsStopOperations.readOpsStop, async ({ params }) => {
      const data = orNotFound(await readOpsStop(db, keyOf(params), params.stop_id));
      return { data };
    }),

    compareStop: endpoint(opsStopOperations.compareStop, async ({ params, query }) => {
      const readHost: ReadHostStop | undefined =
        query.host === 'live' ? (key, stop) => hostCatalog.readStop(key, stop) : undefined;
      const compared = await compareStop({ db, clock, readHost }, keyOf(params), params.stop_id);
      if ('unavailable' in compared) throw new AppError('HOST_UNAVAILABLE', { cause: compared.unavailable });
      return { data: orNotFound(compared) };
    }),
  };
}

const keyOf = ({ facility, route_id: id, week_end }: OpsStopParams): RouteKey => ({ facility, id, week_end });
