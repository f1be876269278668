import type { ErrorDetail, MutationName, RouteKey, SkipRefuseArgs, StopObjectInput } from '@tailgate/sync-protocol';
import { leastFrameBytes, skipRefuseArgs, stopUpdateArgs } from '@tailgate/sync-protocol';
import { InvalidChange } from '../errors.ts';
import { bytesOf } from './item.ts';

/** A change that fits its schema and every limit: whatever happens later, no server refuses it for its form. */
export interface Draft {
  readonly name: MutationName;
  readonly version: number;
  readonly args: Record<string, unknown>;
}

/** `stop` of PUT skip-refuse without the route (contract §4). */
export type SkipInput = Partial<Omit<SkipRefuseArgs, 'route' | 'stop_id'>>;

export const draftUpdate = (route: RouteKey, stop: StopObjectInput): Draft =>
  draft('stop.update', stopUpdateArgs.safeParse({ route, stop }));

export const draftSkip = (route: RouteKey, stop_id: number, fields: SkipInput): Draft =>
  draft('stop.skip_refuse', skipRefuseArgs.safeParse({ ...fields, route, stop_id }));

type Issue = NonNullable<ReturnType<typeof stopUpdateArgs.safeParse>['error']>['issues'][number];
type Parsed =
  | { readonly success: true; readonly data: object }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/** Room for the envelope: names, times, hashes. */
const envelopeBytes = 1024;

/** Refuses here what the server would only keep in quarantine: the person who can change it is still looking. */
export function draft(name: MutationName, parsed: Parsed): Draft {
  if (!parsed.success) throw new InvalidChange(parsed.error.issues.map(detailOf));
  const args: Record<string, unknown> = { ...parsed.data };
  const bytes = bytesOf(args);
  if (bytes > leastFrameBytes - envelopeBytes)
    throw new InvalidChange([
      { path: '', message: `must not exceed ${leastFrameBytes - envelopeBytes} bytes, is ${bytes}` },
    ]);
  return { name, version: 1, args };
}

/** Says what is wrong in words; zod/mini brings none, and its dictionary weighs more than this. */
function detailOf(issue: Issue): ErrorDetail {
  const [first, ...rest] = issue.path;
  // The caller passed it by itself.
  const path = (first === 'stop' || first === 'report' ? rest : issue.path).join('.');
  return { path, message: issue.message === 'Invalid input' ? describe(issue) : issue.message };
}

function describe(issue: Issue): string {
  if ('expected' in issue) return `must be ${issue.expected}`;
  if ('values' in issue) return `must be one of ${issue.values.join(', ')}`;
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : '';
  if ('maximum' in issue) return `must not exceed ${issue.maximum}${unit}`;
  return 'minimum' in issue ? `must be at least ${issue.minimum}${unit}` : 'has no known form';
}
