import type { IncomingMessage } from 'node:http';
import { unreadableParts } from './wire-checks.ts';

const versions = ['8', '13'];
/** Sixteen bytes in base64 (RFC 6455 §4.1). */
const key = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Whether a request opens a WebSocket at this path. Any other upgrade is ignored, and its request is served without it
 * (RFC 9110 §7.8). So a refusal is an ordinary answer, and its connection ends in order. No later check may refuse a
 * handshake, so this function makes all of their checks.
 */
export function isHandshake({ method, url = '', headers }: IncomingMessage, path: string): boolean {
  return (
    method === 'GET' &&
    pathOf(url) === path &&
    unreadableParts(url).length === 0 &&
    headers.host !== undefined &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    versions.includes(headers['sec-websocket-version'] ?? '') &&
    key.test(headers['sec-websocket-key'] ?? '') &&
    headers['transfer-encoding'] === undefined &&
    headers['content-length'] === undefined
  );
}

/** As the router reads it: without the origin of an absolute form (RFC 9112 §3.2.2), a last slash and the query. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]*/, '').replace(/\/?(\?.*)?$/s, '');
