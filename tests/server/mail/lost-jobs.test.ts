import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requeueLost } from '../../../server/src/mutations/jobs/owed.ts';
import { bossMessages, queues } from '../../../server/src/mutations/jobs/wakeups.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { addRoute, delivered } from '../mutations/fixture.ts';
import { mailDeps } from './mail-fixture.ts';

let mail: Awaited<ReturnType<typeof mailDeps>>;

beforeAll(async () => {
  mail = await mailDeps();
});

beforeEach(async () => {
  await mail.stopMails();
  await mail.deps.pool.query('delete from pgboss.job');
  await mail.deps.pool.query('delete from owed_delivery');
});

const sweep = async (minutes?: number) => {
  const log = recordedLog();
  await requeueLost({ db: mail.deps.pool, boss: mail.boss, log }, minutes);
  return log.lines.map(({ message }) => message);
};
const countOf = async (text: string, values: unknown[] = []) =>
  (await mail.deps.pool.query<{ n: number }>(text, values)).rows[0]?.n;
const owed = () => countOf('select count(*)::int as n from owed_delivery');
const jobsIn = (queue: string) => countOf('select count(*)::int as n from pgboss.job where name = $1', [queue]);
/** A crash between two commits leaves the row, and no job. */
const loseJobs = (queue: string) => mail.deps.pool.query('delete from pgboss.job where name = $1', [queue]);

describe('a delivery whose job is lost', () => {
  it('as a mail is sent by the sweep, once', async () => {
    const key = await addRoute(mail.deps, 'L1', ['1001']);
    const mutation = await mail.submit(key, delivered(1));
    expect([await owed(), await jobsIn(queues.mail)]).toEqual([1, 1]);
    await loseJobs(queues.mail);
    await mail.startMails();
    expect(await sweep(0)).toEqual(['a delivery had no job, and is queued again']);
    await mail.mailOf(mutation);
    await expect.poll(owed).toBe(0);
    expect(await sweep(0)).toEqual([]);
    await mail.stopMails();
    expect(mail.mailsOf(mutation)).toHaveLength(1);
  });

  it('as a text message is queued again, once by several nodes', async () => {
    const message = { kind: 'signed_up', employee: '1001', asked_at: new Date().toISOString() } as const;
    await bossMessages(mail.boss)(mail.deps.pool, message);
    await loseJobs(queues.sms);
    await Promise.all([sweep(0), sweep(0), sweep(0)]);
    const jobs = await mail.boss.fetch(queues.sms, { batchSize: 5 });
    expect(jobs.map(({ data }) => data)).toEqual([message]);
  });

  it('is found behind many whose jobs wait', async () => {
    await mail.deps.pool.query(
      `with waiting as (
         insert into owed_delivery (job_id, queue, data, owed_at)
         select gen_random_uuid(), $1, '{"kind":"signed_up"}', now() - interval '1 hour' from generate_series(1, 500)
         returning job_id
       )
       insert into pgboss.job (id, name, data) select job_id, $1, '{}' from waiting`,
      [queues.sms],
    );
    const message = { kind: 'signed_up', employee: '1002', asked_at: new Date().toISOString() } as const;
    await bossMessages(mail.boss)(mail.deps.pool, message);
    await mail.deps.pool.query(`delete from pgboss.job where data ->> 'employee' = '1002'`);
    expect(await sweep(0)).toHaveLength(1);
    expect(await jobsIn(queues.sms)).toBe(501);
  });

  it('is left for two minutes, in which its job may still come', async () => {
    await bossMessages(mail.boss)(mail.deps.pool, { kind: 'signed_up', employee: '1001', asked_at: '' });
    await loseJobs(queues.sms);
    expect(await sweep()).toEqual([]);
    await mail.deps.pool.query(`update owed_delivery set owed_at = owed_at - interval '3 minutes'`);
    expect(await sweep()).toHaveLength(1);
  });
});

describe('a delivery that is finished', () => {
  it('is owed no longer, also where it was given up after its last try', async () => {
    const key = await addRoute(mail.deps, 'L2', ['1001']);
    mail.server.refuse('manager1@example.com', 450, '4.2.2 mailbox full');
    await mail.boss.updateQueue(queues.mail, { retryLimit: 0 });
    await mail.startMails();
    const mutation = await mail.submit(key, delivered(1));
    await expect.poll(() => mail.incidents(mutation)).toHaveLength(1);
    await expect.poll(owed).toBe(0);
    await mail.boss.updateQueue(queues.mail, { retryLimit: 20 });
    mail.server.acceptAll();
  });

  it('is not sent again where its row has remained, for instance after a worker of an earlier release', async () => {
    const message = { kind: 'signed_up', employee: '1001', asked_at: new Date().toISOString() } as const;
    await bossMessages(mail.boss)(mail.deps.pool, message);
    const [job] = await mail.boss.fetch(queues.sms);
    await mail.boss.complete(queues.sms, job?.id ?? '');
    expect(await owed()).toBe(1);
    expect([await sweep(0), await owed(), await mail.boss.fetch(queues.sms)]).toEqual([[], 0, []]);
  });
});
