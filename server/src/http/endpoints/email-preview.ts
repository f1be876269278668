import type { RouteKey } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
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

/** Interface.md 4.3, the delivery e-mail. */
export function emailEndpoints(preview: PreviewMail) {
  return {
    previewEmail: endpoint(operations.previewEmail, async ({ query }) => {
      const { facility, route_id: id, week_end, stop_id } = query;
      const page = await preview({ facility, id, week_end }, stop_id);
      if ('missing' in page) throw new AppError(page.missing === 'route' ? 'ROUTE_NOT_FOUND' : 'STOP_NOT_FOUND');
      return new RawAnswer(200, headers, page.html);
    }),
  };
}
