import type { Queryable } from '../../db/types.ts';
import type { Actor, Decision, KeptMutation } from '../change.ts';
import { itemOf, readContent, sha256, type Item, type Meaning } from '../item.ts';
import * as sql from './quarantine-sql.ts';

/**
 * The states of a quarantined mutation:
 *
 *   open ──release, or its sender comes again──► released (in the ledger like any other)
 *     │ ▲ refused again: stays                       ▲
 *     └─dismiss──► dismissed ──────release───────────┘
 */
export type KeptState = 'open' | 'released' | 'dismissed';

/** @returns undefined where there is no such entry */
export async function findKept(
  db: Queryable,
  quarantineId: string,
): Promise<{ readonly kept: KeptMutation; readonly state: KeptState } | undefined> {
  const { rows } = await db.query<KeptRow>(sql.findKept, [quarantineId]);
  const [row] = rows;
  if (!row) return undefined;
  const { id, hash, body, name, employee, source, paths, client_id: clientId, seq, prev_hash: prevHash, state } = row;
  const place =
    clientId === null || seq === null ? null : { clientId, seq, prevHash: prevHash?.toString('base64url') ?? null };
  const { captured_at: capturedAt, edit_time: editTime, received_at: receivedAt } = row;
  return { kept: { id, hash, body, name, employee, source, paths, capturedAt, editTime, receivedAt, place }, state };
}

/** Dismisses an entry and notifies its phone. A released entry stays as it is. */
export async function dismissKept(db: Queryable, quarantineId: string, { by, note }: Decision): Promise<void> {
  await db.query(sql.dismissKept, [quarantineId, by, note]);
}

type KeptRow = Pick<KeptMutation, 'id' | 'hash' | 'body' | 'name' | 'employee' | 'source' | 'paths'> & {
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly prev_hash: Buffer | null;
  readonly captured_at: Date | null;
  readonly edit_time: Date | null;
  readonly received_at: Date;
  readonly state: KeptState;
};

/** Rebuilds the item with the same identity, author and times. Its queue has gone on, so it is taken on its own. */
export function itemOfKept(kept: KeptMutation, { by, note }: Decision): Item {
  return itemOf({
    ...kept,
    body: kept.body.toString(),
    actor: authorOf(kept),
    editTime: kept.editTime ?? kept.receivedAt,
    meaning: meaningOf(kept),
    release: { by, note, place: kept.place },
  });
}

/** Reads a body whose hash still fits. Any other body cannot be applied in its author's name. */
function meaningOf({ body, hash }: KeptMutation): Meaning {
  if (sha256(body.toString()).equals(hash)) return readContent(body.toString());
  const reason = 'the text is not what came: its hash is another one';
  return { kind: 'unreadable', fault: { code: 'VALIDATION_FAILED', reason, details: [] } };
}

function authorOf({ source, employee }: KeptMutation): Actor {
  if (source === 'office') return { kind: 'office', user: employee };
  if (source === 'timer') return { kind: 'timer' };
  return employee === '' ? { kind: 'anybody' } : { kind: 'driver', employee };
}
