import type { IncomingMessage } from 'node:http';

const versions = ['8', '13'];
/** Sixteen bytes in base64 (RFC 6455 §4.1). */
const key = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Whether a request opens a WebSocket. Any other upgrade is ignored and its request served as if it asked for none
 * (RFC 9110 §7.8). So a refusal is an ordinary answer, and its connection ends in order.
 */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    versions.includes(headers['sec-websocket-version'] ?? '') &&
    key.test(headers['sec-websocket-key'] ?? '') &&
    headers['transfer-encoding'] === undefined &&
    headers['content-length'] === undefined
  );
}
