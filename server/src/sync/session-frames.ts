import type { ErrorCode, ErrorDetail, ServerFrameInput } from '@tailgate/sync-protocol';
import { errorCodes } from '@tailgate/sync-protocol';
import { clientLimits, features, type SyncLimits } from './limits.ts';
import type { Opened } from './session-types.ts';

export const welcome = (opened: Opened, protocol: number, limits: SyncLimits): ServerFrameInput => ({
  type: 'welcome',
  protocol,
  server_time: opened.serverTime,
  epoch: opened.epoch,
  last_seq: opened.lastSeq,
  ...(opened.queueKey === null ? {} : { queue_key: opened.queueKey }),
  limits: clientLimits(limits),
  features: [...features],
  routes: [...opened.routes],
});

export const pong = (now: number): ServerFrameInput => ({ type: 'pong', server_time: new Date(now).toISOString() });

export const error = (code: ErrorCode, details: readonly ErrorDetail[]): ServerFrameInput => ({
  type: 'error',
  code,
  message: errorCodes[code].meaning,
  details: [...details],
});
