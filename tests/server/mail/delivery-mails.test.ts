import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allLive, writeModes } from '../../../server/src/modes/modes.ts';
import { queues } from '../../../server/src/mutations/jobs/wakeups.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addRoute, delivered } from '../mutations/fixture.ts';
import { restChange } from '../../support/rest-change.ts';
import { mailDeps } from './mail-fixture.ts';

let mail: Awaited<ReturnType<typeof mailDeps>>;

beforeAll(async () => {
  mail = await mailDeps();
});

beforeEach(() => mail.stopMails());

describe('a delivery mail (contract §4, E-mail)', () => {
  it('goes to the contact, with a copy to the recorded addresses, and contains the delivery', async () => {
    const key = await addRoute(mail.deps, 'M1', ['1001']);
    const { log, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, {
      id: 1,
      updates: {
        status: 'D',
        end_delivery_time: '2026-11-20T16:05:00Z',
        driver_comments: 'Left at <b>dock</b> 2 & "rang"',
        osd_emails: ['buyer@example.com', 'nobody'],
      },
    });
    const received = await mail.mailOf(mutation);
    await afterStatement('mail_save_sent');

    expect(received.from).toBe('pod@depot.example');
    expect(received.recipients).toEqual(['manager1@example.com', 'buyer@example.com']);
    expect(received.headers.get('to')).toBe('manager1@example.com');
    expect(received.headers.get('cc')).toBe('buyer@example.com');
    expect(received.headers.get('auto-submitted')).toBe('auto-generated');
    expect(received.source).toContain('Fri, Nov 20, 2026, 10:05 AM CST');
    expect(received.source).toContain('Left at <b>dock</b> 2 & "rang"'); // the text part
    expect(received.source).toContain('Left at &lt;b&gt;dock&lt;/b&gt; 2 &amp; &quot;rang&quot;'); // the HTML part
    expect(await mail.sentMails(mutation)).toEqual([{ facility: 'F01' }]);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { route: 'route:F01:M1:20261121', stop: 1, mutation, invalid: 1 },
        message: 'addresses of a delivery mail are none and were left out',
      },
    ]);
  });

  it('is reported to the driver as lost where an address is invalid', async () => {
    const key = await addRoute(mail.deps, 'M9', ['1001']);
    const stop = { id: 1, updates: { osd_emails: ['buyer@example.com', 'nobody'] } };
    expect(await mail.pipeline.submit(restChange(key, stop, '1001'))).toMatchObject({
      result: 'applied',
      warnings: [{ code: 'invalid_email', path: 'updates.osd_emails.1' }],
    });
  });

  it('goes to the customer by the v20 rules, without copies', async () => {
    const key = await addRoute(mail.deps, 'M2', ['1001']);
    await mail.startMails();
    const stop = { id: 2, updates: { status: 'D', osd_emails: ['buyer@example.com'] } };
    const received = await mail.mailOf(await mail.submit(key, stop, { paths: 'v20' }));
    expect(received.recipients).toEqual(['store2@example.com']);
  });

  it('goes out once for each transition to D', async () => {
    const key = await addRoute(mail.deps, 'M3', ['1001']);
    await mail.startMails();
    const first = await mail.submit(key, delivered(1));
    const amended = await mail.submit(key, delivered(1, 'amended'));
    await mail.submit(key, { id: 1, updates: { status: 'R' } });
    const second = await mail.submit(key, delivered(1, 'after all'));
    await Promise.all([mail.mailOf(first), mail.mailOf(second)]);
    const barrier = await mail.submit(key, delivered(2));
    await mail.mailOf(barrier);
    await mail.stopMails();
    expect([first, amended, second].map((mutation) => mail.mailsOf(mutation).length)).toEqual([1, 0, 1]);
  });

  it('is not sent again where its job comes again', async () => {
    const key = await addRoute(mail.deps, 'M4', ['1001']);
    const { afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await afterStatement('mail_save_sent');
    const { rows } = await mail.deps.pool.query<{ data: object }>(
      `select data from pgboss.job where name = $1 and data->>'mutation' = $2`,
      [queues.mail, mutation],
    );
    await mail.boss.insert(queues.mail, [{ data: rows[0]?.data ?? {} }]);
    await mail.mailOf(await mail.submit(key, delivered(2)));
    await mail.stopMails();
    expect(mail.mailsOf(mutation)).toHaveLength(1);
  });

  it('is held where its facility is in shadow, or goes to the address of SHADOW_MAIL_TO', async () => {
    const key = await addRoute(mail.deps, 'M10', ['1001']);
    const now = new Date();
    await writeModes(mail.deps.pool, { otherwise: 'live', facilities: new Map([['F01', 'shadow']]) }, now);
    try {
      const { log } = await mail.startMails();
      const held = await mail.submit(key, delivered(1));
      await expect
        .poll(() => log.lines.map(({ message }) => message))
        .toEqual(['a delivery mail is held: its facility is not live']);
      await mail.stopMails();
      await mail.startMails({ shadowMailTo: 'pilot@example.com' });
      const redirected = await mail.mailOf(await mail.submit(key, delivered(2)));
      expect(redirected.recipients).toEqual(['pilot@example.com']);
      expect(redirected.headers.get('cc')).toBeUndefined();
      expect(mail.mailsOf(held)).toEqual([]);
    } finally {
      await writeModes(mail.deps.pool, allLive, now);
    }
  });

  it('is stored as a file without a mail server', async () => {
    const key = await addRoute(mail.deps, 'M8', ['1001']);
    const dataDir = await temporaryFolder();
    const { afterStatement } = await mail.startMails({ dataDir });
    const mutation = await mail.submit(key, delivered(1));
    await afterStatement('mail_save_sent');
    const received = await readFile(join(dataDir, 'mail', `${mutation}.eml`), 'utf8');
    expect(received).toContain('To: manager1@example.com\r\n');
    expect(received).toContain('Content-Type: text/html; charset=utf-8\r\n');
  });
});
