import type { ErrorDetail } from '@tailgate/sync-protocol';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { $ZodIssue, $ZodIssueInvalidUnion } from 'zod/v4/core';

// zod/mini contains no messages, so that phones need not load them.
z.config(en());

/** More faults than a person can fix at a time. A body can contain a hundred thousand. */
export const maxFaults = 50;

/** The faults of an input: dotted paths below `root`, each with a message. */
export const faultsOf = (issues: readonly $ZodIssue[], root = ''): ErrorDetail[] =>
  issues.slice(0, maxFaults).map((issue) => ({
    path: [root, ...issue.path].filter((part) => part !== '').join('.'),
    message: issue.code === 'invalid_union' ? wordsOfChoice(issue) : issue.message,
  }));

/** The message for an input that fits none of several kinds. zod only says so; this lists the kinds. */
function wordsOfChoice({ message, errors }: $ZodIssueInvalidUnion): string {
  const kinds = new Set(errors.flat().flatMap((issue) => (issue.code === 'invalid_type' ? issue.expected : [])));
  return message === 'Invalid input' && kinds.size > 0 ? `${message}: expected ${[...kinds].join(' or ')}` : message;
}
