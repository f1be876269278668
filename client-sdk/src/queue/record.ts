import type {
  ErrorDetail,
  InstantField,
  MutationName,
  RouteKey,
  SkipRefuseArgs,
  StopObjectInput,
} from '@tailgate/sync-protocol';
import { instantFields, minFrameBytes, skipRefuseArgs, stopUpdateArgs } from '@tailgate/sync-protocol';
import { InvalidChange, refusal } from '../platform/errors.ts';
import { record } from '../platform/reading.ts';
import { bytesOf } from './item.ts';

/** A change that fits its schema and every limit, so that no server can reject its form later. */
export interface Draft {
  readonly name: MutationName;
  readonly version: number;
  readonly args: Record<string, unknown>;
}

/** A `Date` is an instant by this device's clock: the server corrects the clock's error together with the edit. */
type WithDates<Fields> = { [Name in keyof Fields]: Name extends InstantField ? Fields[Name] | Date : Fields[Name] };

/** `updates` of a stop. */
export type UpdatesInput = WithDates<NonNullable<StopObjectInput['updates']>>;

/** A stop object of PUT route/stop. */
export interface StopInput extends Omit<StopObjectInput, 'updates'> {
  readonly updates?: UpdatesInput | null | undefined;
}

/** `stop` of PUT skip-refuse without the route (contract §4). */
export type SkipInput = WithDates<Partial<Omit<SkipRefuseArgs, 'route' | 'stop_id' | 'device_times'>>>;

export function draftUpdate(route: RouteKey, stop: StopInput): Draft {
  const [updates, marks] = spelled(stop.updates ?? {});
  const { args, ...rest } = draft('stop.update', stopUpdateArgs, {
    route,
    stop: stop.updates ? { ...stop, updates } : stop,
  });
  return { ...rest, args: withDeviceTimes(args, marks) };
}

export function draftSkip(route: RouteKey, stop_id: number, given: SkipInput): Draft {
  const [fields, marks] = spelled(given);
  const { args, ...rest } = draft('stop.skip_refuse', skipRefuseArgs, { ...fields, route, stop_id });
  return { ...rest, args: withDeviceTimes(args, marks) };
}

/** @param device_times fields whose times come from this device's own clock */
export const withDeviceTimes = (args: Draft['args'], device_times: readonly string[]): Draft['args'] =>
  device_times.length > 0 ? { ...args, device_times } : args;

/** Converts dates to text, and returns the names of their fields. */
function spelled(fields: object): [fields: object, marks: readonly string[]] {
  const marks: string[] = [];
  const members = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    if (!(value instanceof Date) || !instantFields.some((each) => each === name)) return [name, value];
    marks.push(name);
    return [name, Number.isFinite(value.getTime()) ? value.toISOString() : String(value)];
  });
  return marks.length > 0 ? [Object.fromEntries(members), marks] : [fields, marks];
}

type Issue = NonNullable<ReturnType<typeof stopUpdateArgs.safeParse>['error']>['issues'][number];
type RawIssue = Parameters<NonNullable<NonNullable<Parameters<typeof stopUpdateArgs.safeParse>[1]>['error']>>[0];
type Parsed =
  | { readonly success: true; readonly data: object }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

interface Schema {
  safeParse(given: unknown, options: { readonly error: (issue: RawIssue) => string }): Parsed;
}

/** The most that arguments may have: 1,024 bytes are for the envelope (names, times, hashes). */
export const maxArgsBytes = minFrameBytes - 1_024;

/**
 * Validates a change here, because the server would only quarantine it or ignore members. The driver can still correct
 * it.
 */
export function draft(name: MutationName, schema: Schema, given: object): Draft {
  const parsed = schema.safeParse(given, { error: describe });
  if (!parsed.success) throw new InvalidChange(parsed.error.issues.map(detailOf));
  const args: Record<string, unknown> = { ...parsed.data };
  const unread = unreadMembers(given, args, []);
  if (unread.length > 0) throw new InvalidChange(unread);
  const bytes = bytesOf(args);
  if (bytes > maxArgsBytes) throw refusal('', `must not exceed ${maxArgsBytes} bytes, is ${bytes}`);
  return { name, version: 1, args };
}

const detailOf = ({ path, message }: Issue): ErrorDetail => ({ path: pathOf(path), message });

function pathOf(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path;
  // The caller passed this member as an argument of its own.
  return (first === 'stop' || first === 'report' ? rest : path).join('.');
}

/** Members that the schema does not contain: it ignores them, as a server has to. */
function unreadMembers(given: unknown, taken: unknown, path: readonly PropertyKey[]): ErrorDetail[] {
  const [from, to] = [membersOf(given), membersOf(taken)];
  if (!from || !to) return [];
  return Object.entries(from).flatMap(([name, value]) => {
    const at = [...path, name];
    if (name in to) return unreadMembers(value, to[name], at);
    return value === undefined ? [] : [{ path: pathOf(at), message: 'is not known here' }];
  });
}

/** Members of an object, or of a list by index. */
const membersOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(value) ? Object.fromEntries(value.entries()) : record(value) ? value : undefined;

/**
 * Describes an issue whose schema has no words of its own. zod/mini has none, its dictionary weighs more than this, and an
 * app that uses zod as well sets the dictionary for all schemas of the page.
 */
function describe(issue: RawIssue): string {
  if (issue.code === 'invalid_type') return `must be ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `must not exceed ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
  return 'has no known form';
}

const unitOf = (origin: string): string => (origin === 'string' ? ' characters' : '');
