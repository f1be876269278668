import { emailPreviewQuery } from './email-operations.ts';
import { nothing, operation } from './operations.ts';

/** Beside interface.md: the proof of a stop in the driver's hand. */
export const proofOperations = {
  readStopProof: operation({
    method: 'GET',
    path: '/route/stop/proof',
    sets: ['current'],
    access: 'driver',
    summary:
      'The proof of a stop as a signed PDF, for a driver of its route, once the legacy host has confirmed the stop. It is the copy for the customer: it has the hashes of the changes, and no acts or texts of the office.',
    message: 'Proof of the stop',
    body: nothing,
    query: emailPreviewQuery,
    data: nothing,
    answers: 'file',
    errors: ['NOT_ASSIGNED', 'ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'NOT_FOUND', 'RECORDED_IN_SHADOW', 'RATE_LIMITED'],
  }),
} as const;
