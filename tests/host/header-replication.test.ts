import { describe, expect, test } from 'vitest';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { replicateHeader } from '../../server/src/replication/to-host/header-replication.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import { servicePart } from '../../server/src/replication/to-host/service-part.ts';
import { createHost } from '../support/stand-in.ts';

const { database, host, clerk } = await createHost();
const stamp = { user: 'TAILGATE', program: 'TAILGATE', date: '20261121', time: '101010' };

/** A route as a dispatch program inserts it, and its closed row, which the service wants to write. */
async function dispatched(id: string) {
  const key = { facility: 'F01', id, week_end: '20261121' };
  await clerk.query(`insert into RTHDRP (RHFAC, RHRTE, RHWKE) values ('F01', '${id}', 20261121)`);
  const known: Record<string, string> = { RHFAC: 'F01', RHRTE: id, RHWKE: '20261121', RHPODS: 'C', RHCLBY: 'D' };
  return { key, wanted: servicePart('RTHDRP', (column) => known[column]) };
}

const podStatus = async (id: string) =>
  (await clerk.query(`select RHPODS from RTHDRP where RHRTE = '${id}'`)).map(({ RHPODS }) => RHPODS);

/** A host whose commits return no answer. It rolls back those that `isLost` names, and counts all. */
function withoutAnswers(isLost: (commit: number) => boolean) {
  let commits = 0;
  const unknownOutcome = () => new HostError('08007', 'the outcome of the commit is unknown');
  const silent: Host = {
    ...host,
    transaction: async (work) => {
      const isRolledBack = isLost(++commits);
      await host.transaction(async (tx) => {
        await work(tx);
        if (isRolledBack) throw unknownOutcome();
      });
      throw unknownOutcome();
    },
  };
  return { silent, commits: () => commits };
}

describe('the row of a route', () => {
  test('a commit without an answer in the last round: the read-back finds the values and confirms them', async () => {
    const { key, wanted } = await dispatched('LAST');
    const { silent, commits } = withoutAnswers((commit) => commit < 4);
    const outcome = await replicateHeader(new HostStops(silent), key, wanted, undefined, stamp);
    expect(commits()).toBe(4);
    expect(await podStatus('LAST')).toEqual(['C']);
    expect(outcome).toEqual({ kind: 'confirmed', confirmed: wanted, wrote: true });
  });

  test('no commit arrives in any round: the row is parked and waits for its next try', async () => {
    const { key, wanted } = await dispatched('NEVER');
    const { silent } = withoutAnswers(() => true);
    const outcome = await replicateHeader(new HostStops(silent), key, wanted, undefined, stamp);
    expect(outcome).toMatchObject({ kind: 'parked', sqlstate: '40001', payload: JSON.stringify(wanted) });
    expect(await podStatus('NEVER')).toEqual(['']);
  });

  test('a row that the service cannot read is parked with the reason; it does not stop the route', async () => {
    const { key, wanted } = await dispatched('NULLED');
    await database.pool.query('alter table PODDTA.RTHDRP alter column RHLATE drop not null');
    await clerk.query(`update RTHDRP set RHLATE = null where RHRTE = 'NULLED'`);
    const outcome = await replicateHeader(new HostStops(host), key, wanted, undefined, stamp);
    expect(outcome).toEqual({
      kind: 'parked',
      sqlstate: '38000',
      reason: 'a row of RTHDRP has no text in RHLATE',
      payload: JSON.stringify(wanted),
    });
  });

  test('a duplicate key has the effect of a write that matched nothing: the next round writes', async () => {
    const { key, wanted } = await dispatched('TWICE');
    // A sequence keeps its value after a rollback: the first write alone meets the other row.
    await database.pool.query(`
      create sequence public.tries;
      create function public.meet_other_row() returns trigger language plpgsql as $$ begin
        if nextval('public.tries') = 1 then raise unique_violation using message = 'another row has this key'; end if;
        return new;
      end $$;
      create trigger meet_other_row before update on PODDTA.RTHDRP for each row
        when (new.RHRTE = 'TWICE') execute function public.meet_other_row()`);
    const outcome = await replicateHeader(new HostStops(host), key, wanted, undefined, stamp);
    expect(outcome).toEqual({ kind: 'confirmed', confirmed: wanted, wrote: true });
    expect(await podStatus('TWICE')).toEqual(['C']);
  });
});
