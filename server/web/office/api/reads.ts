import { useEffect, useState } from 'react';
import { useServices } from '../services.ts';
import type { Api } from './api.ts';
import { Refusal, Unreachable } from './api.ts';
import { concerns } from './news.ts';
import type {
  Answer,
  AnyInput,
  DataOf,
  InputOf,
  ListName,
  OperationName,
  QueryOf,
  ReadName,
  RowOf,
} from './operations.ts';
import { createRepeat } from './repeat.ts';

/** Why there is no present answer. */
export type Fault = Refusal | Unreachable;

/** An unknown error is a defect of the page: it is thrown on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Refusal || error instanceof Unreachable) return error;
  throw error;
}

/** The last answers by request: a page that the reader returns to is there at once. */
const known = new Map<string, Answer<never>>();
const mostKnown = 200;

function remember(key: string, answer: Answer<never>): void {
  known.delete(key);
  known.set(key, answer);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
}

const forgetters: (() => void)[] = [() => known.clear()];
/** Empties a further memory of answers with this one. */
export const onForget = (forget: () => void): void => void forgetters.push(forget);
/** Another operator sees nothing of the one before. */
export const forgetReads = (): void => forgetters.forEach((forget) => forget());

export interface Reading<Data> {
  /** The last answer, also while the server is away. */
  readonly data: Data | undefined;
  readonly fault: Fault | undefined;
}

interface Asked {
  readonly answer: Answer<never> | undefined;
  readonly fault: Fault | undefined;
}

/** Reads an answer, and again when it may have changed, while the component is there. `input` undefined: nothing is read yet. */
function useAnswer(name: OperationName, input: AnyInput | undefined): Asked {
  const { api, live } = useServices();
  const key = `${name} ${JSON.stringify(input ?? null)}`;
  const [, setDrawn] = useState(0);
  const [failed, setFailed] = useState<{ readonly key: string; readonly fault: Fault }>();
  useEffect(() => {
    if (input === undefined) return undefined;
    const leaving = new AbortController();
    const refresh = async (): Promise<void> => {
      try {
        const etag = known.get(key)?.etag ?? undefined;
        const next = await api.read(name, input, { signal: leaving.signal, etag });
        if (next) remember(key, next);
        if (leaving.signal.aborted) return;
        setFailed(undefined);
        if (next) setDrawn((drawn) => drawn + 1);
      } catch (error) {
        if (!leaving.signal.aborted) setFailed({ key, fault: faultOf(error) });
      }
    };
    const { again, end } = createRepeat(refresh);
    const unfollow = live.onNews((news) => concerns(name, input, news) && again());
    again();
    return () => {
      unfollow();
      end();
      leaving.abort();
    };
  }, [key]);
  return { answer: known.get(key), fault: failed?.key === key ? failed.fault : undefined };
}

/** Reads an answer, and again when it may have changed, while the component is there. `input` undefined: nothing is read yet. */
export function useRead<Name extends ReadName>(name: Name, input: InputOf<Name> | undefined): Reading<DataOf<Name>> {
  const { answer, fault } = useAnswer(name, input);
  return { data: answer?.data, fault };
}

/** Rows of a page: a screen fetches no more at once. */
const pageRows = 100;

export interface Listing<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly fault: Fault | undefined;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  /** Shows one page more. */
  readonly more: () => void;
}

/** A list that pages from the server: its first page is read with the news, further ones when the first one moves. */
export const useList: <Name extends ListName>(name: Name, query: QueryOf<Name>) => Listing<RowOf<Name>> = useRows;

interface Further {
  readonly key: string;
  readonly rows: readonly never[];
  readonly hasMore: boolean;
}

function useRows(name: OperationName, query: object): Listing<never> {
  const { api } = useServices();
  const [wanted, setWanted] = useState(1);
  const [further, setFurther] = useState<Further>();
  const { answer, fault } = useAnswer(name, { query: { ...query, limit: pageRows } });
  const next = answer?.nextCursor ?? null;
  const key = `${name} ${JSON.stringify(query)} ${next} ${wanted}`;
  const isLong = wanted > 1 && next !== null;
  useEffect(() => {
    if (!isLong) return undefined;
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      const rows: never[] = [];
      let cursor: string | null = next;
      for (let page = 1; page < wanted && cursor !== null; page++) {
        const { signal } = leaving;
        const found: Answer<never> | undefined = await api.read(
          name,
          { query: { ...query, limit: pageRows, cursor } },
          { signal },
        );
        rows.push(...rowsOf(found));
        cursor = found?.nextCursor ?? null;
      }
      setFurther({ key, rows, hasMore: cursor !== null });
    };
    // The first page shows the fault, and the next reading tries again.
    load().catch((error: unknown) => leaving.signal.aborted || faultOf(error));
    return () => leaving.abort();
  }, [key]);
  const shown = isLong ? further : undefined;
  return {
    rows: answer && [...rowsOf(answer), ...(shown?.rows ?? [])],
    fault,
    hasMore: shown?.hasMore ?? next !== null,
    isBusy: isLong && further?.key !== key,
    more: () => setWanted(wanted + 1),
  };
}

const rowsOf = (answer: Answer<readonly never[]> | undefined): readonly never[] => answer?.data ?? [];

/** Rows of a page of an export, at most what the console ever fetches at once. */
const exportRows = 200;

/** All rows of a list, page by page. */
export async function* allRows(api: Api, name: ListName, query: object): AsyncGenerator<readonly never[]> {
  let cursor: string | null = null;
  do {
    const answer: Answer<never> | undefined = await api.read(
      name,
      { query: { ...query, limit: exportRows, ...(cursor !== null && { cursor }) } },
      {},
    );
    yield rowsOf(answer);
    cursor = answer?.nextCursor ?? null;
  } while (cursor !== null);
}
