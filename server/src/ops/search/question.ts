import { assetId } from '@tailgate/sync-protocol';

/** The readings of one search text. A list is empty, and a text null, where the text cannot mean that. */
export interface Question {
  /** Beginnings of ids: as written, and in the capitals of the host. */
  readonly starts: readonly string[];
  /** The key of a stop. */
  readonly stop: StopName | null;
  /** Whole invoices, and the beginning of one as a tsquery. */
  readonly invoices: readonly string[];
  readonly invoiceStart: string | null;
  /** All words, each as the beginning of a word, as a tsquery. */
  readonly words: string | null;
  /** The same as patterns for LIKE. */
  readonly patterns: readonly string[];
  readonly trace: string | null;
  readonly asset: string | null;
  /** The first and the last id with this beginning. */
  readonly mutations: readonly [string, string] | null;
}

interface StopName {
  readonly facility: string | null;
  readonly routes: readonly string[];
  readonly weekEnd: string | null;
  readonly stop: number;
}

/** A shorter beginning matches too many entries. */
const SHORTEST_START = 4;
const SHORTEST_MUTATION = 8;
/** Invoices may begin with their year. */
const SHORTEST_INVOICE_START = 6;
const MOST_WORDS = 8;

export function readQuestion(text: string): Question {
  const isOne = !/\s/.test(text);
  const starts = isOne ? spellings(text) : [];
  const words = wordsOf(text);
  return {
    starts,
    stop: stopIn(text),
    invoices: starts,
    invoiceStart: isOne && text.length >= SHORTEST_INVOICE_START ? starts.map(asStart).join(' | ') : null,
    words: words.length > 0 ? words.map(asStart).join(' & ') : null,
    patterns: words.map((word) => `%${word.replaceAll(/[%_]/g, '')}%`),
    trace: isOne && /^[0-9a-z]{4,12}$/i.test(text) ? text.toUpperCase() : null,
    asset: isOne && text.length >= SHORTEST_START && isPartOfAssetId(text) ? text : null,
    mutations: mutationsFrom(text),
  };
}

const spellings = (text: string): string[] => [...new Set([text, text.toUpperCase()])];

/** A lexeme of a tsquery that matches every lexeme with this beginning. */
const asStart = (word: string): string => `'${word.replaceAll(/['\\]/g, '$&$&')}':*`;

/** Folded like `customer.words`: without accents, with ASCII punctuation as blanks. */
function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]+/g, '')
    .replaceAll(/[!-/:-@[-`{-~]+/g, ' ');
  return folded.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

/** `R100 6`, `R100 stop 6`, `R100/6`, `F01/R100/20261128/6`. */
function stopIn(text: string): StopName | null {
  const parts = text.split(/[\s/]+/).filter((part) => part !== '' && !/^(?:route|stop)$/i.test(part));
  const [first = '', second = '', week, last] = parts;
  if (parts.length === 2 && /^\d{1,3}$/.test(second))
    return { facility: null, routes: spellings(first), weekEnd: null, stop: Number(second) };
  if (parts.length === 4 && /^\d{8}$/.test(week ?? '') && /^\d{1,3}$/.test(last ?? ''))
    return { facility: first.toUpperCase(), routes: spellings(second), weekEnd: week ?? null, stop: Number(last) };
  return null;
}

const isPartOfAssetId = (text: string): boolean => text.length <= 16 && assetId.safeParse(text.padEnd(16, 'A')).success;

function mutationsFrom(text: string): [string, string] | null {
  const hex = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{8,32}$/.test(hex) || hex.length < SHORTEST_MUTATION) return null;
  return [asUuid(hex.padEnd(32, '0')), asUuid(hex.padEnd(32, 'f'))];
}

const asUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
