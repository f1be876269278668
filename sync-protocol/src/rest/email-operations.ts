import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { keyText, stopNumber, yyyymmdd } from '../schema/values.ts';

const requiredKey = (max: number) => keyText(max).check(z.minLength(1, 'must be given'));

/** All four identify the stop: the request has no driver whose routes could complete the key. */
export const emailPreviewQuery = z.object({
  facility: requiredKey(5),
  route_id: requiredKey(10),
  stop_id: stopNumber,
  week_end: yyyymmdd,
});

/** Interface.md 4.3, the delivery e-mail. */
export const emailOperations = {
  previewEmail: operation({
    method: 'GET',
    path: '/route/stop/email-preview',
    sets: ['current'],
    access: 'open',
    summary: 'The delivery summary of a stop as it is now: the page of the e-mail. Sends nothing.',
    message: 'Delivery summary',
    body: nothing,
    query: emailPreviewQuery,
    data: nothing,
    answers: 'html',
    // The first one under ACCESS=strict alone.
    errors: ['NOT_ASSIGNED', 'ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
  }),
} as const;
