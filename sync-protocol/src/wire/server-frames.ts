import * as z from '#schema';
import { pingFrame } from './client-frames.ts';
import { heardFrames, scopeName } from './frames.ts';

/**
 * Follows each patch with a route's header: when the route closes by itself, null where no timer runs. The header says
 * the same; this is for whoever shows a countdown and keeps no documents.
 */
export const timerFrame = z.object({
  type: z.literal('timer'),
  scope: scopeName,
  autoclose_at: z.nullable(z.string()),
  forceclose_at: z.nullable(z.string()),
});

export const serverFrame = z.discriminatedUnion('type', [...heardFrames, timerFrame, pingFrame]);
export type ServerFrame = z.infer<typeof serverFrame>;
export type ServerFrameInput = z.input<typeof serverFrame>;
