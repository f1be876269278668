import { useEffect, useState } from 'react';
import { useServices } from '../services.ts';
import type { Api } from './api.ts';
import { AskedAgain, Refusal, Unreachable } from './api.ts';
import { createKnown } from './known.ts';
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
import { repeatOnNews } from './repeat.ts';

/** Why there is no present answer. */
export type Fault = Refusal | Unreachable;

/** An unknown error is a defect of the page: it is thrown on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Refusal || error instanceof Unreachable) return error;
  throw error;
}

/** The fault of a reading that the news repeat. */
export function repeatedFaultOf(error: unknown): Fault {
  const fault = faultOf(error);
  return fault instanceof Unreachable ? new AskedAgain(fault.message, { cause: fault }) : fault;
}

/** The last answers by request: a page that the reader returns to is there at once. */
const known = createKnown(200);

const forgetters: (() => void)[] = [() => known.clear()];
/** Empties a further memory of answers with this one. */
export const onForget = (forget: () => void): void => void forgetters.push(forget);
/** Another operator sees nothing of the one before. */
export const forgetReads = (): void => forgetters.forEach((forget) => forget());

export interface Reading<Data> {
  /** The last answer, also while the server is away. */
  readonly data: Data | undefined;
  readonly fault: Fault | undefined;
  /** Whether the component has read it itself: the last answer may be that of an earlier visit. */
  readonly isFresh: boolean;
}

interface Asked {
  readonly answer: Answer<never> | undefined;
  readonly fault: Fault | undefined;
  readonly isFresh: boolean;
}

/** Reads an answer, and again when it may have changed, while the component is there. `input` undefined: nothing is read yet. */
function useAnswer(name: OperationName, input: AnyInput | undefined): Asked {
  const { api, live } = useServices();
  const key = `${name} ${JSON.stringify(input ?? null)}`;
  const [, setDrawn] = useState(0);
  const [failed, setFailed] = useState<{ readonly key: string; readonly fault: Fault }>();
  const [readKey, setReadKey] = useState<string>();
  useEffect(() => {
    setReadKey(undefined);
    if (input === undefined) return undefined;
    let isRead = false;
    const leaving = new AbortController();
    const refresh = async (): Promise<void> => {
      try {
        const isNew = await known.read(api, key, { name, input, signal: leaving.signal });
        if (leaving.signal.aborted) return;
        isRead = true;
        setFailed(undefined);
        setReadKey(key);
        if (isNew) setDrawn((drawn) => drawn + 1);
      } catch (error) {
        if (!leaving.signal.aborted) setFailed({ key, fault: repeatedFaultOf(error) });
      }
    };
    const end = repeatOnNews(live, (news) => concerns(name, input, news, isRead), refresh);
    return () => {
      end();
      leaving.abort();
    };
  }, [key]);
  return { answer: known.get(key), fault: failed?.key === key ? failed.fault : undefined, isFresh: readKey === key };
}

/** Reads an answer, and again when it may have changed, while the component is there. `input` undefined: nothing is read yet. */
export function useRead<Name extends ReadName>(name: Name, input: InputOf<Name> | undefined): Reading<DataOf<Name>> {
  const { answer, fault, isFresh } = useAnswer(name, input);
  return { data: answer?.data, fault, isFresh };
}

/** Rows of a page: a screen fetches no more at once. */
const pageRows = 100;

export interface Listing<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly fault: Fault | undefined;
  /** Whether the component has read the first page itself: the rows may be those of an earlier visit. */
  readonly isFresh: boolean;
  /** Why the further pages are not shown: the page asks for them again, and so does the next `more`. */
  readonly moreFault?: Fault | undefined;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  /** Shows one page more. */
  readonly more: () => void;
}

/** A list that pages from the server: its first page is read with the news, further ones when the first one moves and with the news of everything. */
export const useList: <Name extends ListName>(name: Name, query: QueryOf<Name>) => Listing<RowOf<Name>> = useRows;

/** Pages behind the first one, of one query. */
interface Further {
  readonly query: string;
  /** The first page's cursor and the pages that were wanted. */
  readonly key: string;
  readonly rows: readonly never[];
  readonly hasMore: boolean;
}

interface Wanted {
  readonly query: string;
  readonly pages: number;
  /** Clicks after a failure. */
  readonly tries: number;
}

function useRows(name: OperationName, fields: object): Listing<never> {
  const { api, live } = useServices();
  const query = `${name} ${JSON.stringify(fields)}`;
  const [asked, setAsked] = useState<Wanted>();
  const [loaded, setLoaded] = useState<Further>();
  const [failed, setFailed] = useState<{ readonly key: string; readonly fault: Fault }>();
  const { answer, fault, isFresh } = useAnswer(name, { query: { ...fields, limit: pageRows } });
  const next = answer?.nextCursor ?? null;
  // Another query begins with its first page, and has none of these rows.
  const wanted = asked?.query === query ? asked : { query, pages: 1, tries: 0 };
  const further = loaded?.query === query && next !== null ? loaded : undefined;
  const key = `${query} ${next} ${wanted.pages}`;
  const isLong = wanted.pages > 1 && next !== null;
  useEffect(() => {
    if (!isLong) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const load = async (): Promise<void> => {
      const rows: never[] = [];
      let cursor: string | null = next;
      for (let page = 1; page < wanted.pages && cursor !== null; page++) {
        const input = { query: { ...fields, limit: pageRows, cursor } };
        const found: Answer<never> | undefined = await api.read(name, input, { signal });
        rows.push(...rowsOf(found));
        cursor = found?.nextCursor ?? null;
      }
      setFailed(undefined);
      setLoaded({ query, key, rows, hasMore: cursor !== null });
    };
    setFailed(undefined);
    const refresh = () =>
      load().catch((error: unknown) => {
        if (!signal.aborted) setFailed({ key, fault: repeatedFaultOf(error) });
      });
    const end = repeatOnNews(live, ({ subject }) => subject === 'all', refresh);
    return () => {
      end();
      leaving.abort();
    };
  }, [key, wanted.tries]);
  const moreFault = failed?.key === key ? failed.fault : undefined;
  return {
    rows: answer && [...rowsOf(answer), ...(further?.rows ?? [])],
    fault,
    isFresh,
    moreFault,
    hasMore: moreFault !== undefined || (further?.hasMore ?? next !== null),
    isBusy: isLong && further?.key !== key && !moreFault,
    more: () => setAsked(moreFault ? { ...wanted, tries: wanted.tries + 1 } : { ...wanted, pages: wanted.pages + 1 }),
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
