import { linkText } from '@tailgate/sync-protocol';
import { sha256 } from '../../mutations/item.ts';
import type { ChainLink, ChainReport } from './contract.ts';

/** An item as its device sealed it. The link of its successor is a digest of it. */
export interface Sealed {
  readonly id: string;
  readonly client_id: string | null;
  readonly seq: number | null;
  readonly hash: Buffer;
  readonly prev_hash: Buffer | null;
}

export interface SealedBody extends Sealed {
  readonly version: number;
  readonly body: string;
}

/** The known reason for a missing item. */
export type Absence = Extract<ChainLink['link'], 'lost' | 'expired'>;

/** The place of an item in its queue, as one text. */
export const placeName = (clientId: string, seq: number): string => `${clientId}/${seq}`;

/**
 * Follows the chains of the queues through a stop's mutations. A text is intact where its hash equals the stored one. A
 * link is intact where it is the digest of the item before it, with that item's text, place and link. A changed item
 * with a new hash breaks the link of the next item.
 *
 * @param before the items before these, by `placeName`
 * @param absent the reasons for missing items, by `placeName`
 */
export function verifyChain(
  items: readonly SealedBody[],
  before: ReadonlyMap<string, Sealed>,
  absent: ReadonlyMap<string, Absence>,
): ChainReport {
  const links = items.map((item): ChainLink => {
    const { id, version, client_id, seq, hash, body } = item;
    const text = sha256(body).equals(hash) ? 'intact' : 'altered';
    return { id, version, client_id, seq, body: text, ...linkOf(item, before, absent) };
  });
  return {
    intact: links.every(({ body, link }) => body === 'intact' && link !== 'broken'),
    whole: links.every(({ link }) => link === 'intact' || link === 'none'),
    links,
  };
}

function linkOf(
  { client_id, seq, prev_hash }: Sealed,
  before: ReadonlyMap<string, Sealed>,
  absent: ReadonlyMap<string, Absence>,
): Pick<ChainLink, 'link' | 'follows'> {
  if (client_id === null || seq === null) return { link: 'none', follows: null };
  // The first item of a queue has no item before it.
  if (seq === 1) return { link: prev_hash === null ? 'intact' : 'broken', follows: null };
  const place = placeName(client_id, seq - 1);
  const predecessor = before.get(place);
  if (!predecessor) return { link: absent.get(place) ?? 'missing', follows: null };
  const follows = predecessor.id;
  const isSealed = predecessor.prev_hash !== null || predecessor.seq === 1;
  if (prev_hash === null || !isSealed) return { link: 'unknown', follows };
  return { link: expectedLink(predecessor).equals(prev_hash) ? 'intact' : 'broken', follows };
}

const expectedLink = ({ hash, prev_hash, seq }: Sealed): Buffer =>
  sha256(linkText(hash.toString('base64url'), prev_hash?.toString('base64url') ?? null, seq ?? 0));
