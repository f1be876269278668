import type { ErrorDetail } from '@tailgate/sync-protocol';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { $ZodIssue, $ZodIssueInvalidUnion } from 'zod/v4/core';

// zod/mini brings no words of its own, so that phones need not load them.
z.config(en());

/** More faults than a person can mend at a time; a body can hold a hundred thousand. */
export const mostFaults = 50;

/** What does not fit a schema, for whoever sent it: dotted paths below `root`, each with words. */
export const faultsOf = (issues: readonly $ZodIssue[], root = ''): ErrorDetail[] =>
  issues.slice(0, mostFaults).map((issue) => ({
    path: [root, ...issue.path].filter((part) => part !== '').join('.'),
    message: issue.code === 'invalid_union' ? wordsOfChoice(issue) : issue.message,
  }));

/** Where none of several kinds fits zod says only that; what kinds there are helps more. */
function wordsOfChoice({ message, errors }: $ZodIssueInvalidUnion): string {
  const kinds = new Set(errors.flat().flatMap((issue) => (issue.code === 'invalid_type' ? issue.expected : [])));
  return message === 'Invalid input' && kinds.size > 0 ? `${message}: expected ${[...kinds].join(' or ')}` : message;
}
