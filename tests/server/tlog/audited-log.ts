import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect } from 'vitest';
import type { RestClient } from '../../support/rest-client.ts';
import { naiveRoot } from './naive-tree.ts';

/**
 * An auditor of served logs with code of its own: it reads checkpoints, keys and tiles by HTTP, and computes the root
 * from the hashes of all leaves.
 */

export interface Audited {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** The hashes of all leaves, in base64. */
  readonly leaves: readonly string[];
  /** The keys, by their place in keys.json, whose signatures are valid. */
  readonly signers: readonly string[];
  readonly note: string;
}

interface ServedKey {
  readonly origin: string;
  readonly key: string;
  readonly from_size: number;
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

const parseKeys: (text: string) => { readonly keys: readonly ServedKey[] } = JSON.parse;

export async function keysOf(client: RestClient): Promise<readonly ServedKey[]> {
  const answer = await fetch(`${client.url}/log/keys.json`);
  return parseKeys(await answer.text()).keys;
}

export async function auditLog(client: RestClient, name: string): Promise<Audited> {
  const answer = await fetch(`${client.url}/log/${name}/checkpoint`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const note = await answer.text();
  const [text = '', signatures = ''] = note.split(/(?<=\n)\n/);
  const [origin = '', sizeText = '', root = ''] = text.split('\n');
  const size = Number(sizeText);
  const leaves: Buffer[] = [];
  for (let tile = 0; tile * 256 < size; tile++) {
    const width = Math.min(256, size - tile * 256);
    const path = `tile/0/${String(tile).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`;
    const served = await fetch(`${client.url}/log/${name}/${path}`);
    expect(served.status).toBe(200);
    const bytes = Buffer.from(await served.arrayBuffer());
    expect(bytes).toHaveLength(width * 32);
    for (let at = 0; at < width; at++) leaves.push(bytes.subarray(at * 32, (at + 1) * 32));
  }
  expect(rootOfHashes(leaves).toString('base64')).toBe(root);
  const signers = (await keysOf(client)).filter((key) => key.origin === origin && isSigned(text, signatures, key));
  return {
    origin,
    size,
    root,
    note,
    leaves: leaves.map((leaf) => leaf.toString('base64')),
    signers: signers.map(({ key }) => key),
  };
}

/** The hash of an entry as a leaf. */
export const leafOf = (entry: string): string => sha256(Buffer.of(0), Buffer.from(entry)).toString('base64');

function rootOfHashes(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return naiveRoot([]);
  const [first] = hashes;
  if (hashes.length === 1 && first) return first;
  const k = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return sha256(Buffer.of(1), rootOfHashes(hashes.slice(0, k)), rootOfHashes(hashes.slice(k)));
}

/** `name+hash+base64(1 ‖ key)`, and the lines `— name base64(hash ‖ signature)`. */
function isSigned(text: string, signatures: string, { origin, key }: ServedKey): boolean {
  const [hash = '', encoded = ''] = key.slice(origin.length + 1).split(/\+(.*)/s);
  const x = Buffer.from(encoded, 'base64').subarray(1).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return signatures.split('\n').some((line) => {
    const bytes = Buffer.from(line.replace(`— ${origin} `, ''), 'base64');
    return (
      bytes.subarray(0, 4).toString('hex') === hash && verify(null, Buffer.from(text), publicKey, bytes.subarray(4))
    );
  });
}
