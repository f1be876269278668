import type { ErrorDetail } from '@tailgate/sync-protocol';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from '../answers/validation.ts';

/** Refuses faults that no handler should have to check. */
export function checkParsedRequests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url, headers, raw }, _reply, done) => {
    // Checked here, because Node's own answer would lack the envelope (RFC 9112 §3.2).
    if (headers.host === undefined && raw.httpVersion === '1.1')
      throw invalidInput([{ path: 'host', message: 'must be sent' }]);
    const faults = unreadableParts(url);
    if (faults.length > 0) throw invalidInput(faults);
    done();
  });
  // After the gate: missing credentials come before any fault of a body (contract §1).
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    // A body has no meaning there and is not read.
    const coding = method === 'GET' || method === 'HEAD' ? undefined : headers['content-encoding'];
    // No client sends a megabyte that unfolds to a thousand (RFC 9110 §8.4).
    if (coding !== undefined && coding.toLowerCase() !== 'identity')
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Compressed bodies are not read.' });
    done(null, payload);
  });
}

/**
 * The parts of an address that no database could store as text: a percent sign without two digits, invalid UTF-8 (lone
 * surrogates included), NUL. The path is `url`, a query parameter its name.
 */
export function unreadableParts(url: string): ErrorDetail[] {
  // Most addresses contain no escape.
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
