import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import { recordAct } from '../../acts/sql.ts';
import type { FileSource } from '../../assets/file-bytes.ts';
import { SharedCounters } from '../../db/shared-counters.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import { endpoint, opsEndpoint } from '../../http/answers/endpoint.ts';
import { invalidInput } from '../../http/answers/validation.ts';
import { contentsOf, mailLinks } from '../../mail/contents.ts';
import type { SummarizedStop } from '../../mail/delivery-summary.ts';
import { mailboxOf, recipientsOf } from '../../mail/recipients.ts';
import { readSummarizedStop } from '../../mail/stop-reading.ts';
import type { QueueMail } from '../../mutations/jobs/wakeups.ts';
import { addressesIn } from '../../stops/mail-address.ts';
import { missingParts, type MissingPart } from '../../stops/missing-parts.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import { AppError } from '../../wire/errors.ts';
import { authorOf } from '../acts/author.ts';
import type { ProofMail } from '../history/contract.ts';
import { listFiles } from '../history/history-sql.ts';
import { orNotFound, readProofs, type FileRow, type Missing } from '../history/history.ts';
import type { OpsStopParams } from '../stops/contract.ts';
import { proofOperations, type ProofBody, type ProofPreview } from './contract.ts';
import { insertProof, lockStop } from './proofs-sql.ts';

export interface ProofDeps extends MailPlace {
  readonly db: Db;
  readonly store?: FileSource['store'];
  readonly clock: () => Date;
  readonly queueMail: QueueMail;
}

/** Whether and where readers of a mail reach files. */
type MailPlace = Parameters<typeof mailLinks>[0];

const hourMs = 3_600_000;
/** A clerk sends one a minute at most; a program with a stolen token sends no more. */
const maxOfAuthor = 60;
/** A store gets no flood of mails about one stop. */
const maxOfStop = 10;
/** Class of these advisory locks; "prof" in ASCII, against chance collisions. */
const proofLock = 0x70726f66;

/** The summary of a stop as its mail has it now, with what is missing in it. Nothing is sent. */
async function previewProof(deps: ProofDeps, key: RouteKey, stop: number): Promise<ProofPreview | Missing> {
  const { db } = deps;
  const read = await readStop(db, key, stop);
  if ('missing' in read) return read;
  const [contents, lacks, proofs] = await Promise.all([
    contentsOf(deps, read, { pictures: true, linkTo: mailLinks(deps) }),
    missingOf(db, read.result),
    readProofs(db, key, stop),
  ]);
  const { to, cc } = recipientsOf(read.plan.customer.contact, read.result.updates?.osd_emails ?? [], 'current');
  const { subject, text, enclosures } = contents;
  return {
    status: read.result.status,
    can_send: isDelivered(read.result),
    lacks,
    addresses: [...to, ...cc],
    subject,
    text,
    pictures: enclosures.length,
    proofs,
  };
}

/** A route that is incomplete on the host counts as missing, as in the preview of the drivers. */
async function readStop(db: Queryable, key: RouteKey, stop: number): Promise<SummarizedStop | Missing> {
  const reading = await readSummarizedStop(db, key, stop);
  if (!reading?.published) return { missing: 'route' };
  return reading.stop ?? { missing: 'stop' };
}

const isDelivered = ({ status }: StopResult): boolean => status === 'D';

async function missingOf(db: Queryable, result: StopResult): Promise<MissingPart[]> {
  const ids = [...evidenceOf(result)];
  const files = ids.length === 0 ? [] : (await db.query<FileRow>(listFiles, [ids])).rows;
  return missingParts(
    result,
    files.every(({ state }) => state === 'R'),
  );
}

interface Request extends ProofBody {
  readonly author: string;
  /** A person, or all programs together. */
  readonly counted: string;
}

/**
 * Queues the mail, and records the request and the act, in one transaction. The job is that of the delivery mails, so
 * retries, deferred recipients and the incident of a mail without success are theirs, too.
 */
async function sendProof(deps: ProofDeps, key: RouteKey, stop: number, request: Request): Promise<ProofMail> {
  const { db, clock, queueMail } = deps;
  const to = oneAddress(request.to);
  const { mail_id, author, last_seen } = request;
  const read = orNotFound(await readStop(db, key, stop));
  return withTransaction(db, async (tx) => {
    const place = { facility: key.facility, route_id: key.id, week_end: key.week_end, stop };
    await tx.query(lockStop, [proofLock, JSON.stringify(place)]);
    const before = await readProofs(tx, key, stop);
    const known = before.find((proof) => proof.mail_id === mail_id);
    if (known) return sameRequest(known, to);
    const [latest] = before;
    if (last_seen !== undefined && latest && latest.mail_id !== last_seen)
      throw new AppError('PROOF_REQUESTED', { data: { by: latest.by, at: latest.asked_at } });
    if (!isDelivered(read.result)) throw await notDelivered(tx, read.result);

    const now = timeAfter(latest, clock());
    await countRequest(tx, clock, [`proofs of ${request.counted}`, maxOfAuthor]);
    await countRequest(tx, clock, [`proofs of stop ${JSON.stringify(place)}`, maxOfStop]);
    const values = [key.facility, mail_id, key.id, key.week_end, stop, to, author, now];
    const { rows } = await tx.query(insertProof, values);
    if (rows.length === 0) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    await queueMail(tx, { ...place, mutation: mail_id, paths: 'current', to, due_at: now.toISOString() });
    await recordAct(tx, {
      by: author,
      act: 'sendProof',
      subject: { kind: 'proof', id: mail_id },
      place: { facility: key.facility, route: key.id, weekEnd: key.week_end, stop },
      reason: '',
      before: null,
      after: { to },
    });
    return { mail_id, to, by: author, asked_at: now.toISOString(), state: 'queued', sent_at: null };
  });
}

/** Times of one stop's requests rise, also where the clocks of two nodes differ: the newest one is then certain. */
function timeAfter(latest: ProofMail | undefined, now: Date): Date {
  return latest ? new Date(Math.max(now.getTime(), Date.parse(latest.asked_at) + 1)) : now;
}

/** @throws AppError that names `to` */
function oneAddress(text: string): string {
  const { valid, invalid } = addressesIn(text);
  const [address] = valid;
  if (address === undefined || valid.length > 1 || invalid > 0)
    throw invalidInput([{ path: 'to', message: 'must be one mail address, such as store@example.com' }]);
  return address;
}

/** A repeated request: its mail is on its way already. */
function sameRequest(known: ProofMail, to: string): ProofMail {
  if (mailboxOf(known.to) !== mailboxOf(to)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  return known;
}

const statusWords = { P: 'not delivered yet', D: 'delivered', S: 'skipped', R: 'refused', C: 'complete' } as const;

async function notDelivered(db: Queryable, result: StopResult): Promise<AppError> {
  const missing = await missingOf(db, result);
  const message = `The stop is ${statusWords[result.status]}. Missing: ${missing.join(', ')}.`;
  return new AppError('NOT_DELIVERED', { message });
}

/** Counts in the transaction: a refused request counts nothing. */
async function countRequest(tx: Tx, clock: () => Date, [name, max]: readonly [string, number]): Promise<void> {
  const { count, endsInMs } = await new SharedCounters(tx, clock).count(name, hourMs);
  if (count > max) throw new AppError('RATE_LIMITED', { retryAfterMs: endsInMs });
}

/** Operators: the delivery summary of a stop on request. */
export function proofEndpoints(deps: ProofDeps) {
  return {
    previewProof: endpoint(proofOperations.previewProof, async ({ params }) => ({
      data: orNotFound(await previewProof(deps, keyOf(params), params.stop_id)),
    })),

    sendProof: opsEndpoint(proofOperations.sendProof, async ({ params, body, caller }) => {
      const author = authorOf(caller, body.by);
      const counted = caller.kind === 'operator' ? author : 'programs';
      const request = { ...body, author, counted };
      return { data: await sendProof(deps, keyOf(params), params.stop_id, request) };
    }),
  };
}

const keyOf = ({ facility, route_id: id, week_end }: OpsStopParams): RouteKey => ({ facility, id, week_end });
