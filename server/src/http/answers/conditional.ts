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
