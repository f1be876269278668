import { useEffect, useState } from 'react';
import type { RouteRow } from '../model/route-row.ts';
import { useServices } from '../services.ts';
import type { News } from './news.ts';
import { concerns } from './news.ts';
import type { Answer, QueryOf } from './operations.ts';
import type { Fault } from './reads.ts';
import { onForget, repeatedFaultOf } from './reads.ts';
import { repeatOnNews } from './repeat.ts';

/** Rows of a page, at most what the console ever fetches at once. */
const pageRows = 200;

interface Page {
  readonly cursor: string | null;
  readonly answer: Answer<readonly RouteRow[]>;
}

/** The last pages by query: a list that the reader returns to is there at once. */
const known = new Map<string, readonly Page[]>();
onForget(() => known.clear());

type Stale = 'all' | readonly News[];

const isStale = ({ answer }: Page, stale: Stale): boolean =>
  stale === 'all' ||
  stale.some(
    (news) =>
      news.subject !== 'route' ||
      answer.data.some(
        ({ facility, route_id, week_end }) =>
          facility === news.facility && route_id === news.route_id && week_end === news.week_end,
      ),
  );

export interface RouteList {
  readonly rows: readonly RouteRow[] | undefined;
  readonly fault: Fault | undefined;
}

/** All routes of a query, page by page. News of a route read its page alone; a route that no page has reads all of them. */
export function useRouteList(query: QueryOf<'listRoutes'>): RouteList {
  const { api, live } = useServices();
  const key = JSON.stringify(query);
  const [, setDrawn] = useState(0);
  const [fault, setFault] = useState<Fault>();
  useEffect(() => {
    const leaving = new AbortController();
    let stale: Stale = 'all';
    const readPage = async (cursor: string | null, before: Page | undefined): Promise<Page> => {
      const answer = await api.read(
        'listRoutes',
        { query: { ...query, limit: pageRows, ...(cursor !== null && { cursor }) } },
        { signal: leaving.signal, etag: before?.answer.etag ?? undefined },
      );
      return answer ? { cursor, answer } : (before ?? { cursor, answer: { data: [], nextCursor: null, etag: null } });
    };
    const readAll = async (wanted: Stale): Promise<void> => {
      const pages: Page[] = [];
      let cursor: string | null = null;
      do {
        const before: Page | undefined = known.get(key)?.[pages.length];
        const same: Page | undefined = before?.cursor === cursor ? before : undefined;
        const page: Page = same && !isStale(same, wanted) ? same : await readPage(cursor, same);
        pages.push(page);
        cursor = page.answer.nextCursor;
        // The first pages are shown while further ones come.
        if ((known.get(key)?.length ?? 0) < pages.length) show(pages);
      } while (cursor !== null);
      show(pages);
    };
    const show = (pages: readonly Page[]): void => {
      if (leaving.signal.aborted) return;
      known.set(key, [...pages]);
      setDrawn((drawn) => drawn + 1);
    };
    const refresh = async (): Promise<void> => {
      const wanted = stale;
      stale = [];
      try {
        await readAll(wanted);
        setFault(undefined);
      } catch (error) {
        stale = 'all';
        if (!leaving.signal.aborted) setFault(repeatedFaultOf(error));
      }
    };
    const noteNews = (news: News): boolean => {
      if (!concerns('listRoutes', { query }, news)) return false;
      const isNew = news.subject !== 'route' || !(known.get(key) ?? []).some((page) => isStale(page, [news]));
      stale = isNew || stale === 'all' ? 'all' : [...stale, news];
      return true;
    };
    const end = repeatOnNews(live, noteNews, refresh);
    return () => {
      end();
      leaving.abort();
    };
  }, [key]);
  return { rows: known.get(key)?.flatMap(({ answer }) => answer.data), fault };
}
