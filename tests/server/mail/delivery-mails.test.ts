import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouteKey } from '@tailgate/sync-protocol';
import { PgBoss } from 'pg-boss';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../../../server/src/db/types.ts';
import { startMail } from '../../../server/src/mail/delivery-mails.ts';
import type { Change, Pipeline } from '../../../server/src/mutations/change.ts';
import { queues } from '../../../server/src/mutations/wakeups.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addRoute, delivered, pipelineGround, restChange } from '../mutations/ground.ts';

type Ground = Awaited<ReturnType<typeof pipelineGround>>;
let ground: Ground;
let boss: PgBoss;
let pipeline: Pipeline;
let server: MailServer;
let stopMails: (() => Promise<void>) | undefined;

beforeAll(async () => {
  ground = await pipelineGround();
  pipeline = ground.open();
  await ground.pool.query(`insert into facility (id, name, zone) values ('F01', 'Depot', 'America/Chicago')`);
  boss = new PgBoss({
    connectionString: ground.database.url,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  atFileEnd(() => boss.stop({ graceful: false }));
  // As in production, but for the patience between two tries.
  await boss.updateQueue(queues.mail, { retryDelay: 1, retryBackoff: false });
  server = await startMailServer();
});

beforeEach(async () => {
  await stopMails?.();
});

/** Delivery mails as a node sends them; `afterStatement` hears the names of the statements that it has run. */
async function startMails({
  smtpUrl = server.url,
  dataDir = '',
}: { smtpUrl?: string | undefined; dataDir?: string } = {}) {
  const log = recordedLog();
  const { promise: warned, resolve: hearWarning } = Promise.withResolvers<void>();
  const listened = {
    ...log,
    warn: (fields: object, message: string) => {
      log.warn(fields, message);
      hearWarning();
    },
  };
  const heard = new Map<string, PromiseWithResolvers<void>>();
  const ran = (name: string) => {
    const known = heard.get(name) ?? Promise.withResolvers<void>();
    heard.set(name, known);
    return known;
  };
  const db: Queryable = {
    query: async (statement, values) => {
      const answer = await ground.pool.query(statement, values);
      if (typeof statement === 'object') ran(statement.name).resolve();
      return answer;
    },
  };
  const config = { smtpUrl: dataDir ? undefined : smtpUrl, mailFrom: 'Tailgate <pod@depot.example>', dataDir };
  const mails = await startMail({ db, boss, config, clock: () => new Date(), log: listened });
  let stopping: Promise<void> | undefined;
  stopMails = () => (stopping ??= mails.stop());
  atFileEnd(stopMails);
  return { log, warned, afterStatement: (name: string) => ran(name).promise };
}

const submit = (key: RouteKey, stop: Parameters<typeof restChange>[1], more: Partial<Change> = {}) => {
  const change = restChange(key, stop, '1001', more);
  return pipeline.submit(change).then(() => change.id);
};
const lettersOf = (mutation: string) =>
  server.received.filter(({ headers }) => headers.get('message-id') === `<${mutation}@depot.example>`);
const letterOf = (mutation: string) =>
  server.mail(({ headers }) => headers.get('message-id') === `<${mutation}@depot.example>`);
const sentMails = async (mutation: string) => {
  const { rows } = await ground.pool.query<{ facility: string }>(
    'select facility from mail_sent where mutation_id = $1',
    [mutation],
  );
  return rows;
};

describe('a delivery mail (contract §4, E-mail)', () => {
  it('goes to the contact, with a copy to whom the driver recorded, and says what happened', async () => {
    const key = await addRoute(ground, 'M1', ['1001']);
    const { log, afterStatement } = await startMails();
    const mutation = await submit(key, {
      id: 1,
      updates: {
        status: 'D',
        end_delivery_time: '2026-11-20T16:05:00Z',
        driver_comments: 'Left at <b>dock</b> 2 & "rang"',
        osd_emails: ['buyer@example.com', 'nobody'],
      },
    });
    const mail = await letterOf(mutation);
    await afterStatement('mail_save_sent');

    expect(mail.from).toBe('pod@depot.example');
    expect(mail.recipients).toEqual(['manager1@example.com', 'buyer@example.com']);
    expect(mail.headers.get('to')).toBe('manager1@example.com');
    expect(mail.headers.get('cc')).toBe('buyer@example.com');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.source).toContain('Fri, Nov 20, 2026, 10:05 AM CST');
    expect(mail.source).toContain('Left at <b>dock</b> 2 & "rang"'); // the text part
    expect(mail.source).toContain('Left at &#60;b&#62;dock&#60;/b&#62; 2 &#38; &#34;rang&#34;'); // the HTML part
    expect(await sentMails(mutation)).toEqual([{ facility: 'F01' }]);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { route: 'route:F01:M1:20261121', stop: 1, mutation, invalid: 1 },
        message: 'addresses of a delivery mail are none and were left out',
      },
    ]);
  });

  it('is announced to the driver as lost where an address is none', async () => {
    const key = await addRoute(ground, 'M9', ['1001']);
    const stop = { id: 1, updates: { osd_emails: ['buyer@example.com', 'nobody'] } };
    expect(await pipeline.submit(restChange(key, stop, '1001'))).toMatchObject({
      result: 'applied',
      warnings: [{ code: 'invalid_email', path: 'updates.osd_emails.1' }],
    });
  });

  it('goes to the customer by the v20 rules, without copies', async () => {
    const key = await addRoute(ground, 'M2', ['1001']);
    await startMails();
    const stop = { id: 2, updates: { status: 'D', osd_emails: ['buyer@example.com'] } };
    const mail = await letterOf(await submit(key, stop, { paths: 'v20' }));
    expect(mail.recipients).toEqual(['store2@example.com']);
  });

  it('goes out once for each transition to D', async () => {
    const key = await addRoute(ground, 'M3', ['1001']);
    await startMails();
    const first = await submit(key, delivered(1));
    const amended = await submit(key, delivered(1, 'amended'));
    await submit(key, { id: 1, updates: { status: 'R' } });
    const second = await submit(key, delivered(1, 'after all'));
    await Promise.all([letterOf(first), letterOf(second)]);
    const barrier = await submit(key, delivered(2));
    await letterOf(barrier);
    await stopMails?.();
    expect([first, amended, second].map((mutation) => lettersOf(mutation).length)).toEqual([1, 0, 1]);
  });

  it('is not sent again where its job comes again', async () => {
    const key = await addRoute(ground, 'M4', ['1001']);
    const { afterStatement } = await startMails();
    const mutation = await submit(key, delivered(1));
    await afterStatement('mail_save_sent');
    const { rows } = await ground.pool.query<{ data: object }>(
      `select data from pgboss.job where name = $1 and data->>'mutation' = $2`,
      [queues.mail, mutation],
    );
    await boss.insert(queues.mail, [{ data: rows[0]?.data ?? {} }]);
    await letterOf(await submit(key, delivered(2)));
    await stopMails?.();
    expect(lettersOf(mutation)).toHaveLength(1);
  });

  it('waits for a mail server that is down, and is sent once when it is back', async () => {
    const key = await addRoute(ground, 'M5', ['1001']);
    await server.down();
    const { log, warned, afterStatement } = await startMails();
    const mutation = await submit(key, delivered(1));
    await warned;
    expect(log.lines[0]).toMatchObject({ level: 'warn', message: 'a delivery mail could not be sent yet' });
    await server.up();
    await letterOf(mutation);
    await afterStatement('mail_save_sent');
    expect(lettersOf(mutation)).toHaveLength(1);
    expect(await sentMails(mutation)).toHaveLength(1);
  });

  it('counts as sent where one of its recipients is refused, and says so', async () => {
    const key = await addRoute(ground, 'M6', ['1001']);
    server.refused.add('gone@example.com');
    const { log, afterStatement } = await startMails();
    const stop = { id: 1, updates: { status: 'D', osd_emails: ['gone@example.com'] } };
    const mutation = await submit(key, stop);
    await afterStatement('mail_save_sent');
    expect((await letterOf(mutation)).recipients).toEqual(['manager1@example.com']);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { refused: 1 } }]);
    expect(JSON.stringify(log.lines)).not.toContain('gone@example.com');
  });

  it('is given up after its last try, and a person is told', async () => {
    const key = await addRoute(ground, 'M7', ['1001']);
    server.refused.add('manager1@example.com');
    await boss.updateQueue(queues.mail, { retryLimit: 0 });
    const { log, afterStatement } = await startMails();
    const mutation = await submit(key, delivered(1));
    await afterStatement('mail_save_given_up');
    await boss.updateQueue(queues.mail, { retryLimit: 20 });
    server.refused.clear();
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a delivery mail was given up' }]);
    const { rows } = await ground.pool.query<{ details: string }>(
      `select details from incident where kind = 'mail_given_up'`,
    );
    expect(rows.map(({ details }): unknown => JSON.parse(details))).toEqual([
      { route: 'route:F01:M7:20261121', stop: 1, mutation, reason: 'EENVELOPE RCPT TO 550' },
    ]);
    expect(await sentMails(mutation)).toEqual([]);
  });

  it('is kept as a file where there is no mail server', async () => {
    const key = await addRoute(ground, 'M8', ['1001']);
    const dataDir = await temporaryFolder();
    const { afterStatement } = await startMails({ dataDir });
    const mutation = await submit(key, delivered(1));
    await afterStatement('mail_save_sent');
    const mail = await readFile(join(dataDir, 'mail', `${mutation}.eml`), 'utf8');
    expect(mail).toContain('To: manager1@example.com\r\n');
    expect(mail).toContain('Content-Type: text/html; charset=utf-8\r\n');
  });
});
