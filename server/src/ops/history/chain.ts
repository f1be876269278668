import { linkText } from '@tailgate/sync-protocol';
import { sha256 } from '../../mutations/item.ts';
import type { ChainLink, ChainReport } from './contract.ts';

/** An item as its device sealed it: what its successor's link is taken of. */
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

/** Why an item is known not to be here. */
export type Absence = Extract<ChainLink['link'], 'lost' | 'expired'>;

/** Where an item stands, as one text. */
export const placeName = (clientId: string, seq: number): string => `${clientId}/${seq}`;

/**
 * Follows the chains of the queues through a stop's mutations. A text is intact where its hash is still that which it came
 * with; a link where it is the digest of the item before it, whose own text, place and link it seals. Who alters an item and
 * its hash breaks the link of the next one.
 *
 * @param before the items before these, by `placeName`
 * @param absent of those that are not there, why
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
  // A queue begins with a link to nothing.
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
