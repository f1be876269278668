import { operations } from '../../server/src/http/operations.ts';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A change over the ordered count is listed once it is settled, and read. */
export async function recordFlags(
  record: (name: 'listFlags' | 'reviewFlags', sent: Sent) => Promise<unknown>,
  url: string,
  headers: Sent['headers'],
): Promise<void> {
  const [code, list] = ['over_delivered', operations.listFlags.data] as const;
  const feed = await fetch(`${url}/api/ops/feed`, { headers });
  for await (const lines of feed.body?.pipeThrough(new TextDecoderStream()) ?? [])
    if (lines.includes('"subject":"flag"')) break;
  const [flag] = list.parse(await record('listFlags', { headers, query: { code } }));
  if (!flag) throw new Error('the flag is not listed');
  const body = { by: 'MILLER', code, through: flag.received_at, note: 'Counted again.' };
  await record('reviewFlags', { headers, body });
}
