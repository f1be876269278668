import type { Ink } from './ink.ts';
import { storedInk } from './ink.ts';

/** Entries of a driver at a stop that are not recorded yet. Plain JSON (hence types, not interfaces): it is stored as it is. */
export type StopDraft = {
  /** Products by the key of their line. */
  readonly lines: Readonly<Record<string, LineDraft>>;
  /** Collections by the key of their line. */
  readonly returns: Readonly<Record<string, ReturnDraft>>;
  /** Items outside the plan. */
  readonly overage: readonly OverageDraft[];
  /** The person who signs, and the file of the signature. */
  readonly signer: string;
  readonly signature: string | null;
  /** A hash of the list that the signer saw. */
  readonly shown: string | null;
  /** The strokes of the signature, so that a kill or a turned phone loses none. */
  readonly ink: Ink | null;
  readonly comment: string;
  /** Photos of the whole stop, by the ids of their files. */
  readonly photos: readonly string[];
  /** A skip or a refusal of the whole stop; null while the driver fills in neither. */
  readonly exception: ReasonDraft | null;
};

/** The interface takes no longer comment; UTF-16 units, so that a field of this length holds no more than 2000 characters. */
export const longestComment = 2000;

export type LineDraft = {
  /** Set by the line sheet. Without it the line is as planned, or as scanned. */
  readonly delivered?: number;
  /** Pieces scanned so far. */
  readonly scanned?: number;
  readonly pallets?: number;
  /** Pieces of earlier deliveries that the customer gives back. */
  readonly returned?: number;
  readonly reason?: ReasonDraft;
  /** Photos of the line, by the ids of their files. */
  readonly photos?: readonly string[];
};

/** Why a line has less than planned, or why the whole stop is skipped or refused. */
export type ReasonDraft = {
  readonly code: string;
  readonly comment: string;
  /** Photos that go with the reason, by the ids of their files. */
  readonly photos: readonly string[];
};

export type ReturnDraft = {
  readonly returned: number;
  readonly photos?: readonly string[];
};

export type OverageDraft = {
  readonly barcode: string;
  /** 85: left with the customer; 86: taken back. */
  readonly code: string;
  readonly quantity: number;
  readonly comment: string;
  readonly photos: readonly string[];
};

export const emptyDraft: StopDraft = {
  lines: {},
  returns: {},
  overage: [],
  signer: '',
  signature: null,
  shown: null,
  ink: null,
  comment: '',
  photos: [],
  exception: null,
};

/** Whether the driver has filled in anything. */
export const isBegun = (draft: StopDraft): boolean =>
  Object.keys(draft.lines).length > 0 ||
  Object.keys(draft.returns).length > 0 ||
  draft.overage.length > 0 ||
  draft.signature !== null ||
  draft.ink !== null ||
  draft.comment !== '' ||
  draft.photos.length > 0 ||
  draft.exception !== null;

/** A draft as it is stored. One that says nothing is none: an undo returns the former draft only where no other one is. */
export const storedDraft = (draft: StopDraft): StopDraft | undefined =>
  draft.signer !== '' || isBegun(draft) ? draft : undefined;

/** The draft with another line; without one, the line is as planned, or as scanned. */
export function withLine(draft: StopDraft, key: string, line: LineDraft | undefined): StopDraft {
  const { [key]: _, ...others } = draft.lines;
  return { ...draft, lines: line === undefined ? others : { ...draft.lines, [key]: line } };
}

/** The draft with another count of what goes back; without one, it is not counted. */
export function withReturn(draft: StopDraft, key: string, line: ReturnDraft | undefined): StopDraft {
  const { [key]: _, ...others } = draft.returns;
  return { ...draft, returns: line === undefined ? others : { ...draft.returns, [key]: line } };
}

/** The draft without the person who signs, the strokes and their file. */
export const withoutSignature = (draft: StopDraft): StopDraft => ({
  ...draft,
  signer: '',
  signature: null,
  shown: null,
  ink: null,
});

/** The draft in a stored value. Members that another version of the app wrote otherwise are left out. */
export function draftOf(stored: unknown): StopDraft {
  if (!isRecord(stored)) return emptyDraft;
  const { lines, returns, overage, signer, signature, shown, ink, comment, photos, exception } = stored;
  return {
    lines: mapOf(lines, lineOf),
    returns: mapOf(returns, returnOf),
    overage: Array.isArray(overage) ? overage.flatMap((each) => overageOf(each) ?? []) : [],
    signer: text(signer),
    signature: typeof signature === 'string' ? signature : null,
    shown: typeof shown === 'string' ? shown : null,
    ink: storedInk(ink),
    comment: text(comment),
    photos: ids(photos),
    exception: isRecord(exception) ? reasonOf(exception) : null,
  };
}

function lineOf(stored: Stored): LineDraft {
  const { delivered, scanned, pallets, returned, reason, photos } = stored;
  return {
    ...(isCount(delivered) && { delivered }),
    ...(isCount(scanned) && { scanned }),
    ...(isCount(pallets) && { pallets }),
    ...(isCount(returned) && { returned }),
    ...(isRecord(reason) && { reason: reasonOf(reason) }),
    ...(Array.isArray(photos) && { photos: ids(photos) }),
  };
}

const reasonOf = ({ code, comment, photos }: Stored): ReasonDraft => ({
  code: text(code),
  comment: text(comment),
  photos: ids(photos),
});

function returnOf({ returned, photos }: Stored): ReturnDraft | undefined {
  return isCount(returned) ? { returned, ...(Array.isArray(photos) && { photos: ids(photos) }) } : undefined;
}

function overageOf(stored: unknown): OverageDraft | undefined {
  if (!isRecord(stored)) return undefined;
  const { barcode, code, quantity, comment, photos } = stored;
  if (!isCount(quantity)) return undefined;
  return { barcode: text(barcode), code: text(code), quantity, comment: text(comment), photos: ids(photos) };
}

type Stored = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Stored => value instanceof Object && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const ids = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

function mapOf<Value>(stored: unknown, read: (value: Stored) => Value | undefined): Record<string, Value> {
  if (!isRecord(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).flatMap(([key, each]) => {
      const value = isRecord(each) ? read(each) : undefined;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
