import { Fault } from '../fault.ts';
import { jsonEnd, jsonHead, jsonStop, packFormat, withholdable } from '../format.ts';
import { listOf, objectOf, parsed, type Fields } from '../json.ts';

// The part of `pack.json` that the checks read.

export interface Fact {
  readonly id: string;
  readonly hash: string;
  readonly prevHash: string | null;
  readonly queue: string | null;
  readonly seq: number | null;
  /** The text of the change; null where the pack withholds it. */
  readonly body: string | null;
  /** The server noted at its receipt that the link was broken. */
  readonly isBroken: boolean;
}

export interface FileRecord {
  readonly id: string;
  readonly label: string;
  readonly state: 'awaited' | 'here' | 'missing' | 'deleted';
  readonly size: number;
  readonly sha256: string | null;
  readonly member: string | null;
}

export interface StopRecord {
  /** `R100/20261121/5`. */
  readonly place: string;
  readonly facts: readonly Fact[];
  readonly files: readonly FileRecord[];
  /** Changes that wait for the office. */
  readonly waiting: readonly string[];
  /** Changes behind the present state are on record no more. */
  readonly isCut: boolean;
}

export interface PackRecord {
  readonly without: readonly string[];
  readonly stops: readonly StopRecord[];
  /** The stops as they are written. */
  readonly written: readonly unknown[];
}

/** @throws Fault where the text is no record of a known format */
export function readRecord(text: string): PackRecord {
  const root = objectOf(parsed(text));
  const { format, scope } = root;
  if (typeof format !== 'string') throw new Fault('json', '');
  if (format !== packFormat) throw new Fault('format', format);
  const stops = listIn(root, 'stops');
  const without = listIn(root, 'without').map((part) => oneOf(part, withholdable, 'without'));
  // Another text has the same meaning to this reader, and perhaps not to another: a member that comes twice.
  if (jsonHead({ format, scope, without }) + stops.map(jsonStop).join('') + jsonEnd !== text)
    throw new Fault('json-layout', '');
  return { without, stops: stops.map(stopOf), written: stops };
}

function stopOf(value: unknown): StopRecord {
  const stop = objectOf(value);
  const { route_id, week_end, stop_id } = objectOf(stop['place']);
  return {
    place: [route_id, week_end, stop_id].map(String).join('/'),
    facts: listIn(stop, 'facts').map(factOf),
    files: listIn(stop, 'files').map(fileOf),
    waiting: listIn(stop, 'kept').flatMap((each) => {
      const kept = objectOf(each);
      return kept['state'] === 'open' ? [textIn(kept, 'id')] : [];
    }),
    isCut: listIn(stop, 'missing').some((each) => objectOf(each)['part'] === 'record'),
  };
}

function factOf(value: unknown): Fact {
  const fact = objectOf(value);
  return {
    id: textIn(fact, 'id'),
    hash: digestIn(fact, 'hash'),
    prevHash: fact['prev_hash'] === null ? null : digestIn(fact, 'prev_hash'),
    queue: fact['client_id'] === null ? null : textIn(fact, 'client_id'),
    seq: fact['seq'] === null ? null : numberIn(fact, 'seq'),
    body: fact['body'] === null ? null : textIn(fact, 'body'),
    isBroken: listIn(fact, 'warnings').some((warning) => objectOf(warning)['code'] === 'chain_broken'),
  };
}

function fileOf(value: unknown): FileRecord {
  const file = objectOf(value);
  return {
    id: textIn(file, 'asset_id'),
    label: textIn(file, 'label'),
    state: oneOf(file['state'], ['awaited', 'here', 'missing', 'deleted'] as const, 'state'),
    size: numberIn(file, 'size'),
    sha256: file['sha256'] === null ? null : digestIn(file, 'sha256'),
    member: file['member'] === null ? null : textIn(file, 'member'),
  };
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Fault('json-shape', name);
  return value;
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Fault('json-shape', name);
  return value;
}

function listIn(fields: Fields, name: string): readonly unknown[] {
  if (!Array.isArray(fields[name])) throw new Fault('json-shape', name);
  return listOf(fields[name]);
}

function digestIn(fields: Fields, name: string): string {
  const text = textIn(fields, name);
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Fault('json-shape', name);
  return text;
}

function oneOf<const Word extends string>(value: unknown, words: readonly Word[], name: string): Word {
  const word = words.find((each) => each === value);
  if (word === undefined) throw new Fault('json-shape', name);
  return word;
}
