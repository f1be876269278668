import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller has this representation already (RFC 9110 §13.1.2). The comparison is weak, because proxies that
 * compress make strong tags weak. `etag` is quoted.
 */
export function matchesEtag({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  return known.trim() === '*' || known.split(',').some((tag) => strong(tag.trim()) === strong(etag));
}

const strong = (tag: string): string => tag.replace(/^W\//, '');

/** The tag of an answer whose operation has `if-none-match` and no tag of its own: a hash of its content. */
export const contentTag = (content: unknown): string =>
  `"${hash('sha256', JSON.stringify(content), 'base64url').slice(0, 22)}"`;
