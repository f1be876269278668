import * as z from '#schema';
import { text } from '../schema/values.ts';
import { nothing, operation } from './operations.ts';

/** The question of a phone. Any text of this length gets an answer, so that the answer does not show which facilities exist. */
export const cellQuery = z.object({ facility: z.optional(text(5)) });
export const cellPayload = z.object({ url: z.nullable(z.string()) });

/** The directory of cells (docs/scaling.md). */
export const cellOperations = {
  findCell: operation({
    method: 'GET',
    path: '/cell',
    sets: ['current'],
    access: 'public',
    summary: 'The address of the cell where the drivers of a facility sign in.',
    message: 'Address of the cell',
    body: nothing,
    query: cellQuery,
    data: cellPayload,
    errors: ['RATE_LIMITED'],
  }),
} as const;
