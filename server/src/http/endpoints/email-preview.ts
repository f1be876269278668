import type { RouteKey } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { requireAssigned } from '../answers/assigned.ts';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RawAnswer } from '../answers/raw-answer.ts';

/** Renders the delivery summary of a stop as a page. Mail is another edge, so app.ts passes the renderer in. */
export type PreviewMail = (
  key: RouteKey,
  stop: number,
) => Promise<{ readonly html: string } | { readonly missing: 'route' | 'stop' }>;

/**
 * The page contains text that drivers wrote, all of it escaped. As a second defence the page may not run scripts, load
 * from elsewhere, be framed or send a form. Styles are inline for mail programs, so inline styles are allowed.
 */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

export interface EmailDeps {
  readonly db: Queryable;
  readonly previewMail: PreviewMail;
}

/** Interface.md 4.3, the delivery e-mail. Under ACCESS=strict a driver sees the stops of own routes only. */
export function emailEndpoints({ db, previewMail }: EmailDeps) {
  return {
    previewEmail: endpoint(operations.previewEmail, async ({ query, request: { driver } }) => {
      const { facility, route_id: id, week_end, stop_id } = query;
      const route = { facility, id, week_end };
      if (driver) await requireAssigned(db, route, driver);
      const page = await previewMail(route, stop_id);
      if ('missing' in page) throw new AppError(page.missing === 'route' ? 'ROUTE_NOT_FOUND' : 'STOP_NOT_FOUND');
      return new RawAnswer(200, headers, page.html);
    }),
  };
}
