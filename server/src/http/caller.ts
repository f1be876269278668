import type { FastifyRequest } from 'fastify';
import { addressOf } from './rate-limits.ts';

/** Whose an upload's key and quota are: the driver's where one is asked for (ACCESS=strict), else the address's. */
export function callerOf(request: Pick<FastifyRequest, 'driver' | 'ip'>): string {
  return request.driver ? `driver ${request.driver.employee}` : `address ${addressOf(request)}`;
}
