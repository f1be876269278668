import type { Queryable } from '../../db/types.ts';
import type { Actor, Decision, Item, Meaning } from '../change.ts';
import { itemOf, readContent, sha256 } from '../item.ts';
import * as sql from './quarantine-sql.ts';

/*
 * The states of a quarantined mutation:
 *
 *   open ──release, or its sender comes again──► released (in the ledger like any other)
 *     │ ▲ refused again: stays                       ▲
 *     └─dismiss──► dismissed ──────release───────────┘
 */

interface QuarantineRow extends Pick<Item, 'id' | 'hash' | 'name' | 'source' | 'paths'> {
  readonly body: Buffer;
  readonly employee: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly prev_hash: Buffer | null;
  readonly captured_at: Date | null;
  /** Null where the server could not compute one: its receipt counts. */
  readonly edit_time: Date | null;
  readonly received_at: Date;
}

/**
 * Reads a quarantined mutation as an item that an operator releases: with the same identity, author and times. Its queue
 * has gone on, so the pipeline takes the item on its own.
 * @returns undefined where there is no such entry
 */
export async function findQuarantined(
  db: Queryable,
  quarantineId: string,
  { by, note }: Decision,
): Promise<Item | undefined> {
  const { rows } = await db.query<QuarantineRow & Record<string, unknown>>(sql.findQuarantined, [quarantineId]);
  const [row] = rows;
  if (!row) return undefined;
  const { id, hash, name, source, paths, client_id: clientId, seq, prev_hash: prevHash } = row;
  const place =
    clientId === null || seq === null ? null : { clientId, seq, prevHash: prevHash?.toString('base64url') ?? null };
  const body = row.body.toString();
  return itemOf({
    id,
    hash,
    body,
    name,
    source,
    actor: actorOf(row),
    paths,
    receivedAt: row.received_at,
    capturedAt: row.captured_at,
    editTime: row.edit_time ?? row.received_at,
    meaning: meaningOf(body, hash),
    release: { by, note, place },
  });
}

/** Dismisses an entry and notifies its phone. A released entry stays as it is. */
export async function dismissEntry(db: Queryable, quarantineId: string, { by, note }: Decision): Promise<void> {
  const { rows } = await db.query<{ scope: string }>(sql.dismissEntry, [quarantineId, by, note]);
  for (const { scope } of rows) await db.query(sql.notifyQueue, [scope]);
}

/** Reads a body whose hash still fits. Any other body cannot be applied in its author's name. */
function meaningOf(body: string, hash: Buffer): Meaning {
  if (sha256(body).equals(hash)) return readContent(body);
  const reason = 'the text is not what came: its hash is another one';
  return { kind: 'unreadable', fault: { code: 'VALIDATION_FAILED', reason, details: [] } };
}

function actorOf({ source, employee }: QuarantineRow): Actor {
  if (source === 'office') return { kind: 'office', user: employee };
  if (source === 'timer') return { kind: 'timer' };
  return employee === '' ? { kind: 'anonymous' } : { kind: 'driver', employee };
}
