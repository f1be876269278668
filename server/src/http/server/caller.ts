import type { FastifyRequest } from 'fastify';
import { addressOf } from './rate-limits.ts';

/**
 * The owner of an idempotency key and of the quotas of uploads and reports: the driver where credentials are checked
 * (ACCESS=strict), else the address.
 */
export function callerOf(request: Pick<FastifyRequest, 'driver' | 'ip'>): string {
  return request.driver ? `driver ${request.driver.employee}` : `address ${addressOf(request)}`;
}
