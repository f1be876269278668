import { randomBytes } from 'node:crypto';
import { element, nothing, octets, oid, sequence, small, tags } from '../../../../verify/src/cms/der.ts';
import { readToken, tokenIn } from '../../../../verify/src/cms/token.ts';
import { isEqual } from '../../../../verify/src/log/bytes.ts';
import { nodeTools } from '../../../../verify/src/node-tools.ts';
import { isSignedToken } from '../../../../verify/src/stamp-check.ts';
import type { Log } from '../../../runtime/log.ts';

/** The answer of an authority, and its token. */
export interface Stamp {
  readonly response: Uint8Array;
  readonly token: Uint8Array;
}

/** Stamps a digest (SHA-256); undefined where the authority gives no valid answer. */
export type StampDigest = (digest: Uint8Array) => Promise<Stamp | undefined>;

const timeoutMs = 5_000;
const maxBytes = 64 * 1024;

/** Asks an authority for time stamps (RFC 3161). A pack is made without one where it does not answer, and the log says so. */
export const stamper =
  (url: string, log: Log): StampDigest =>
  async (digest) => {
    try {
      return await ask(url, digest);
    } catch (error) {
      log.warn({ err: error }, 'TSA_URL gave no time stamp: an evidence pack is made without it');
      return undefined;
    }
  };

async function ask(url: string, digest: Uint8Array): Promise<Stamp> {
  const number = randomBytes(8);
  // A positive number without a leading zero byte.
  number[0] = 0x40 + ((number[0] ?? 0) % 0x40);
  const nonce = element(tags.integer, number);
  const imprint = sequence(sequence(oid('2.16.840.1.101.3.4.2.1'), nothing), octets(digest));
  const withCertificate = element(1, Uint8Array.of(0xff));
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: Buffer.from(sequence(small(1), imprint, nonce, withCertificate)),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok) throw new Error(`the authority answers ${answer.status}`);
  const response = new Uint8Array(await answer.arrayBuffer());
  if (response.length > maxBytes) throw new Error(`the answer has ${response.length} bytes`);
  const token = tokenIn(response);
  const read = token && readToken(token);
  if (!token || !read)
    throw new Error('the authority refuses, or its answer is no token by RSA and SHA-2 with its certificate');
  if (!isEqual(read.imprint, digest) || !read.nonce || !isEqual(read.nonce, nonce))
    throw new Error('the answer is one to another request');
  if (!(await isSignedToken(read, nodeTools))) throw new Error('its signature is invalid, or not by RSA and SHA-2');
  return { response, token };
}
