import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queues } from '../../../server/src/mutations/jobs/wakeups.ts';
import { addRoute, delivered } from '../mutations/fixture.ts';
import { mailDeps } from './mail-fixture.ts';

let mail: Awaited<ReturnType<typeof mailDeps>>;

beforeAll(async () => {
  mail = await mailDeps();
});

beforeEach(async () => {
  await mail.stopMails();
  mail.server.acceptAll();
});

const withCopy = (address: string) => ({ id: 1, updates: { status: 'D', osd_emails: [address] } });
const withoutCopy = { id: 1, updates: { osd_emails: [] } };

async function unfinished(mutation: string): Promise<object[]> {
  const text = 'select address from mail_recipient where mutation_id = $1';
  return (await mail.deps.pool.query<object>(text, [mutation])).rows;
}

describe('a delivery mail with a failing mail server (contract §4, E-mail)', () => {
  it('waits for one that is down, and is sent once when it is back', async () => {
    const key = await addRoute(mail.deps, 'B1', ['1001']);
    await mail.server.down();
    const { log, outcomes, warned, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await warned;
    expect(log.lines[0]).toMatchObject({ level: 'warn', message: 'a delivery mail could not be sent yet' });
    expect(outcomes).toEqual(['deferred']);
    await mail.server.up();
    await mail.mailOf(mutation);
    await afterStatement('mail_save_sent');
    expect(mail.mailsOf(mutation)).toHaveLength(1);
    expect(await mail.sentMails(mutation)).toHaveLength(1);
    await expect.poll(() => outcomes.at(-1)).toBe('sent');
    expect(new Set(outcomes)).toEqual(new Set(['deferred', 'sent']));
  });

  it.each([
    ['is silent', 'B2', { idleMs: 200 }, 'ETIMEDOUT CONN'],
    ['takes too long for a letter', 'B9', { messageMs: 200 }, 'EABORT'],
  ])('does not wait for one that %s, and comes again', async (_, route, timeouts, reason) => {
    const key = await addRoute(mail.deps, route, ['1001']);
    mail.server.silent = true;
    const { log, warned, afterStatement } = await mail.startMails({ timeouts });
    const mutation = await mail.submit(key, delivered(1));
    await warned;
    expect(log.lines[0]).toMatchObject({ fields: { reason } });
    mail.server.silent = false;
    await afterStatement('mail_save_sent');
    expect(mail.mailsOf(mutation)).toHaveLength(1);
  });

  it('is the same mail again after a lost answer', async () => {
    const key = await addRoute(mail.deps, 'B3', ['1001']);
    mail.server.answersToLose = 1;
    const { afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await afterStatement('mail_save_sent');
    const [first, second, ...more] = mail.mailsOf(mutation);
    expect(more).toEqual([]);
    expect(second?.headers.get('date')).toBe(first?.headers.get('date'));
    expect(second?.headers.get('subject')).toBe(first?.headers.get('subject'));
  });

  it('counts as sent where one of its recipients is refused for good, and is logged without a name', async () => {
    const key = await addRoute(mail.deps, 'B4', ['1001']);
    mail.server.refuse('gone@example.com');
    const { log, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, withCopy('gone@example.com'));
    await afterStatement('mail_save_sent');
    expect((await mail.mailOf(mutation)).recipients).toEqual(['manager1@example.com']);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { refused: 1 } }]);
    expect(JSON.stringify(log.lines)).not.toContain('gone@example.com');
  });

  it('matches the server’s recipients in any spelling of the address', async () => {
    const key = await addRoute(mail.deps, 'B10', ['1001']);
    mail.server.refuse('Info@müller.example');
    const { log, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, withCopy('Info@Müller.example'));
    await afterStatement('mail_save_sent');
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { refused: 1 } }]);
    expect((await mail.mailOf(mutation)).recipients).toEqual(['manager1@example.com']);
  });

  it('comes later for a recipient who is greylisted, and not again for the others', async () => {
    const key = await addRoute(mail.deps, 'B5', ['1001']);
    mail.server.refuse('buyer@example.com', 451, '4.7.1 greylisted, come again');
    const { log, warned, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, withCopy('buyer@example.com'));
    await warned;
    expect(log.lines[0]).toMatchObject({ fields: { reason: 'RECIPIENTS_DEFERRED' } });
    mail.server.acceptAll();
    await afterStatement('mail_save_sent');
    const receivedMails = mail.mailsOf(mutation);
    expect(receivedMails.map(({ recipients }) => recipients)).toEqual([
      ['manager1@example.com'],
      ['buyer@example.com'],
    ]);
    for (const name of ['to', 'cc', 'date', 'subject'])
      expect(receivedMails[1]?.headers.get(name)).toBe(receivedMails[0]?.headers.get(name));
    expect(await unfinished(mutation)).toEqual([]);
  });

  it('is finished where the one who had to wait is a recipient no longer', async () => {
    const key = await addRoute(mail.deps, 'B11', ['1001']);
    mail.server.refuse('buyer@example.com', 451, '4.7.1 greylisted, come again');
    const { outcomes, warned, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, withCopy('buyer@example.com'));
    await warned;
    await mail.submit(key, withoutCopy);
    await afterStatement('mail_save_sent');
    await mail.stopMails();
    expect(mail.mailsOf(mutation).map(({ recipients }) => recipients)).toEqual([['manager1@example.com']]);
    expect(outcomes.at(-1)).toBe('sent');
    expect(await mail.sentMails(mutation)).toHaveLength(1);
    expect(await unfinished(mutation)).toEqual([]);
  });

  it('is given up where only refused recipients are left', async () => {
    const key = await addRoute(mail.deps, 'B12', ['1001']);
    mail.server.refuse('manager1@example.com');
    mail.server.refuse('buyer@example.com', 451, '4.7.1 greylisted, come again');
    const { afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, withCopy('buyer@example.com'));
    await afterStatement('mail_save_settled');
    await mail.submit(key, withoutCopy);
    await afterStatement('mail_save_given_up');
    await mail.stopMails();
    expect(await mail.incidents(mutation)).toMatchObject([{ reason: 'RECIPIENTS_REFUSED' }]);
    expect(await mail.sentMails(mutation)).toEqual([]);
    expect(await unfinished(mutation)).toEqual([]);
  });

  it('is given up at once where no recipient will ever get it, and is reported', async () => {
    const key = await addRoute(mail.deps, 'B6', ['1001']);
    mail.server.refuse('manager1@example.com');
    const { log, outcomes, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await afterStatement('mail_save_given_up');
    await mail.stopMails();
    expect(outcomes).toEqual(['given_up']);
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', message: 'a delivery mail was given up' });
    expect(await mail.incidents(mutation)).toEqual([
      { route: 'route:F01:B6:20261121', stop: 1, mutation, reason: 'RECIPIENTS_REFUSED' },
    ]);
    expect(await mail.sentMails(mutation)).toEqual([]);
  });

  it('is tried again where the server does not authorize us, which the operator must correct', async () => {
    const key = await addRoute(mail.deps, 'B7', ['1001']);
    mail.server.refuse('manager1@example.com', 554, '5.7.1 relay access denied');
    const { warned, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await warned;
    expect(await mail.incidents(mutation)).toEqual([]);
    mail.server.acceptAll();
    await afterStatement('mail_save_sent');
    expect(mail.mailsOf(mutation)).toHaveLength(1);
  });

  it('is given up after its last try, and is reported', async () => {
    const key = await addRoute(mail.deps, 'B8', ['1001']);
    mail.server.refuse('manager1@example.com', 450, '4.2.2 mailbox full');
    await mail.boss.updateQueue(queues.mail, { retryLimit: 0 });
    const { log, afterStatement } = await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await afterStatement('mail_save_given_up');
    await mail.boss.updateQueue(queues.mail, { retryLimit: 20 });
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a delivery mail was given up' }]);
    expect(await mail.incidents(mutation)).toMatchObject([{ mutation, reason: 'RECIPIENTS_DEFERRED' }]);
  });
});
