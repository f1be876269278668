import type { FastifyRequest } from 'fastify';
import { addressOf } from './rate-limits.ts';

/**
 * Whose an upload's key is, and the quotas of uploads and reports: the driver's where credentials are checked
 * (ACCESS=strict), else the address's.
 */
export function callerOf(request: Pick<FastifyRequest, 'driver' | 'ip'>): string {
  return request.driver ? `driver ${request.driver.employee}` : `address ${addressOf(request)}`;
}
