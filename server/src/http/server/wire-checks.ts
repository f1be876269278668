import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from '../answers/validation.ts';

/** Refuses what no handler should have to think of, before any part of a request is taken at its word. */
export function checkTheWire(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url, headers, raw }, _reply, done) => {
    // Told by us and not by Node, which would leave the envelope out (RFC 9112 §3.2).
    if (headers.host === undefined && raw.httpVersion === '1.1')
      throw invalidInput([{ path: 'host', message: 'must be sent' }]);
    const faults = unreadableParts(url);
    if (faults.length > 0) throw invalidInput(faults);
    done();
  });
  // Behind the gate: missing credentials are told before anything that is wrong with a body (contract §1).
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    // A body there means nothing and is not read.
    const coding = method === 'GET' || method === 'HEAD' ? undefined : headers['content-encoding'];
    // Nobody sends a megabyte so squeezed that it unfolds to a thousand (RFC 9110 §8.4).
    if (coding !== undefined && coding.toLowerCase() !== 'identity')
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Compressed bodies are not read.' });
    done(null, payload);
  });
}

/**
 * What of an address is no text that a database could hold: a percent sign without two digits, bytes that are no UTF-8
 * (lone surrogates among them), NUL. Named by its parameter, or `url` for the path.
 */
export function unreadableParts(url: string): ErrorDetail[] {
  // Hardly any address is escaped at all.
  if (!url.includes('%')) return [];
  const [path = '', query = ''] = split(url, '?');
  const faults = isText(path) ? [] : [fault('url')];
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = split(pair, '=');
    if (!isText(name)) faults.push(fault('query'));
    else if (!isText(value)) faults.push(fault(decodeURIComponent(name)));
  }
  return faults;
}

const fault = (path: string): ErrorDetail => ({ path, message: 'must be percent-encoded UTF-8 without NUL' });

function split(text: string, at: string): string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function isText(escaped: string): boolean {
  try {
    return !decodeURIComponent(escaped).includes('\0');
  } catch {
    return false; // URIError: it cannot be decoded
  }
}
