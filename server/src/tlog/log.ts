import { hash } from 'node:crypto';
import { canonicalJson } from '@tailgate/sync-protocol';

/** A log as its tables name it: one facility, or blank for facts without one, and the generation. */
export interface LogId {
  readonly facility: string;
  readonly generation: number;
}

/** Facts of the whole service: files, incidents, load condition reports, acts that name no facility. */
export const SERVICE = '';
/** A facility has at most 5 characters, so none has this name. */
const serviceName = 'service';

/** The host in origins of a server without PUBLIC_URL. */
const LOCAL = 'localhost';

/** The host in the origin of new logs. */
export const hostOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? LOCAL : new URL(publicUrl).host;

/** The last part of a log's address and origin. */
export const nameOf = (facility: string): string => (facility === SERVICE ? serviceName : encodeURIComponent(facility));

export const facilityOf = (name: string): string => (name === serviceName ? SERVICE : name);

/** `pod.example.com/log/F01`, and `…/2` for the second generation. */
export const originOf = (host: string, { facility, generation }: LogId): string =>
  `${host}/log/${nameOf(facility)}${generation > 1 ? `/${generation}` : ''}`;

/** One fact for the log: ids and hashes. Personal values are only committed to. */
export interface Fact {
  readonly kind: 'mutation' | 'file' | 'mail' | 'act' | 'incident' | 'host' | 'erased' | 'key' | 'epoch';
  /** Unique among the facts of its kind. */
  readonly source: string;
  /** When the server received or recorded it. */
  readonly at: Date;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Values that are personal or can be guessed. */
  readonly personal?: Readonly<Record<string, string | null>>;
}

export const SALT_BYTES = 32;

/** A fact that entered the log later than this after its receipt is marked: the log does not show when it happened. */
const BACKFILLED_AFTER_MS = 3_600_000;

/** The text of a leaf: JSON by RFC 8785. */
export function entryOf({ kind, source, at, fields, personal = {} }: Fact, salt: Buffer, now: Date): string {
  const given = Object.entries(personal).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const committed = Object.fromEntries(given.map(([name, value]) => [name, commitment(salt, name, value)]));
  return canonicalJson({
    kind,
    id: source,
    at: at.toISOString(),
    ...fields,
    ...(given.length > 0 && { committed }),
    ...(now.getTime() - at.getTime() > BACKFILLED_AFTER_MS && { backfilled: true }),
  });
}

/** Binds a value without showing it: SHA-256 of the salt, the field's name, a zero byte and the value, in hex. */
const commitment = (salt: Buffer, field: string, value: string): string =>
  hash('sha256', Buffer.concat([salt, Buffer.from(`${field}\0${value}`)]));
