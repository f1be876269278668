import * as z from '#schema';
import { pingFrame } from './client-frames.ts';
import { receivedFrames, scopeName } from './frames.ts';

/**
 * Follows each patch that contains a route's header: the deadlines of the closing timers, null where none runs. The
 * header has the same values; this frame is for clients that show a countdown and store no documents.
 */
export const timerFrame = z.object({
  type: z.literal('timer'),
  scope: scopeName,
  autoclose_at: z.nullable(z.string()),
  forceclose_at: z.nullable(z.string()),
});

export const serverFrame = z.discriminatedUnion('type', [...receivedFrames, timerFrame, pingFrame]);
export type ServerFrame = z.infer<typeof serverFrame>;
export type ServerFrameInput = z.input<typeof serverFrame>;
