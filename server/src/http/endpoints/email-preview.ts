import type { RouteKey } from '@tailgate/sync-protocol';
import { operations } from '@tailgate/sync-protocol';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';
import { RawAnswer } from '../answers/raw-answer.ts';

/** Renders the delivery summary of a stop as a page. Mail is another edge: whoever composes the two hands it in. */
export type PreviewMail = (
  key: RouteKey,
  stop: number,
) => Promise<{ readonly html: string } | { readonly missing: 'route' | 'stop' }>;

/**
 * The page is put together from what drivers wrote. All of it is escaped; should that ever fail, nothing in it may run,
 * load from elsewhere, be framed or send a form. Its looks stand in attributes, for mail programs: hence the inline styles.
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
