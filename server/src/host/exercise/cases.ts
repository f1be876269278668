import type { HostValue } from '../files/columns.ts';
import { isHostText } from '../files/fit.ts';
import { namesOn } from '../files/library-map.ts';
import { insertRows, mergeRows, putRows, readRecords, selectColumns, selectRows } from '../files/statements.ts';
import type { HostRecord } from '../files/tables.ts';
import { HostError, type Host, type HostErrorKind } from '../host.ts';
import { Doorbell } from '../reads/doorbell.ts';
import { noRoute } from './every-statement.ts';

// Promises that the service needs, each shown by rows on a host. They belong to a route that no dispatcher has.

/** A library that is tried: as the service, and as another program. */
export interface Ground {
  readonly host: Host;
  readonly clerk: Host;
  /** Whether triggers ring the doorbell. */
  readonly rings: boolean;
}

export interface Case {
  readonly name: string;
  /** The service goes on with a host that differs here: a person gets to know it. */
  readonly isTolerated?: boolean;
  /** @throws Error that says what the host has done instead */
  readonly run: (ground: Ground) => Promise<void>;
}

const key = { RUFAC: noRoute.facility, RURTE: noRoute.id, RUWKE: noRoute.week_end } as const;
const stamp = { user: 'TAILGATE', program: 'TAILGATE', date: '20000101', time: '101010' } as const;

export const cases: readonly Case[] = [
  {
    name: 'decimals keep every digit',
    run: async ({ host }) => {
      for (const [RULAT, RULON] of [['-87.629799', '180.000000'] as const, ['0.000001', '-0.000001'] as const]) {
        const given = { RULAT, RULON, RURPSQ: '999999999999999' } as const;
        equal(await storedResult(host, '1', given), given);
      }
    },
  },
  {
    name: 'texts come without blanks at their end, and numbers as texts',
    run: async ({ host }) => {
      await changes(host, newStop(host, '50'), 1);
      const select = selectColumns(host, 'RTSTPP', ['RSCUS', 'RSTYP', 'RSETA'], ['RSRTE', 'RSSTP']);
      const [found] = await host.query(select, [noRoute.id, '50']);
      equal(found, { RSCUS: 'ZZ', RSTYP: '', RSETA: '930' });
    },
  },
  {
    name: 'a question mark in a quoted text is no parameter',
    run: async ({ host }) => {
      const select = `select '?' as A, cast(? as char(3)) as B from ${namesOn(host).table('PODCTLP')}`;
      const [found] = await host.query(select, ['x']);
      equal(found, { A: '?', B: 'x' });
    },
  },
  {
    name: 'every character of the code page comes back, in a text at full length',
    run: async ({ host }) => {
      const all = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1))
        .filter((character) => isHostText(character, host.map.ccsid))
        .join('');
      for (const part of [all.slice(0, 100), all.slice(100, 200), all.slice(200)])
        equal(await storedResult(host, '2', { RUCMT: `${part}.` }), { RUCMT: `${part}.` });
    },
  },
  {
    name: 'a chunk of 16,000 bytes comes back byte by byte',
    run: async ({ host }) => {
      const bytes = Buffer.from(Array.from({ length: 16_000 }, (_, index) => index % 256));
      const row = { ACID: noRoute.id, ACSEQ: '99999', ACLEN: '16000', ACDTA: bytes } as const;
      const { sql, bind } = mergeRows(host, 'ASSCHP', ['ACLEN', 'ACDTA'], 1);
      await changes(host, [sql, bind({ rows: [{ row }], stamp })], 1);
      const select = selectRows(host, 'ASSCHP', ['ACID']);
      const [found] = await host.query(select.sql, select.bind(row));
      if (!Buffer.isBuffer(found?.['ACDTA']) || !bytes.equals(found['ACDTA'])) throw new Error('other bytes came back');
    },
  },
  {
    name: 'a text that is too long is refused, and not cut',
    run: ({ host }) => refuses(host, newEmail(host, 'x'.repeat(255)), ['22001']),
  },
  {
    name: 'a number that is too large is refused',
    run: ({ host }) => refuses(host, newStop(host, '12345'), ['22003']),
  },
  {
    // The service sends no such text; other programs of the host may. Any other refusal is tolerated, too.
    name: 'a character that the code page lacks is refused, and not replaced',
    isTolerated: true,
    run: async ({ host }) => {
      const written = host.transaction(async (tx) => {
        await tx.execute(...newStop(host, '70', 'Łódź'));
        const select = selectColumns(host, 'RTSTPP', ['RSCUS'], ['RSRTE', 'RSSTP']);
        const [found] = await tx.query(select, [noRoute.id, '70']);
        throw new Error(`"Łódź" was stored as ${JSON.stringify(found?.['RSCUS'])}, and not refused by 22021`);
      });
      await isRefused(written, ['22021']);
    },
  },
  {
    name: 'a text that is no SQL is refused as such',
    run: ({ host }) => refuses(host, ['selec', []], ['42601']),
  },
  {
    name: 'a key that exists is refused as a duplicate',
    run: async ({ host, clerk }) => {
      await changes(clerk, newStop(clerk, '10'), 1);
      await refuses(host, newStop(host, '10'), ['23505']);
    },
  },
  {
    name: 'a file that is missing is a matter of set-up',
    run: ({ host }) => refuses(host, [`delete from ${host.library}.NOFILE`, []], ['42704'], 'setup'),
  },
  {
    name: 'a column that is missing is a matter of set-up',
    run: ({ host }) =>
      refuses(host, [`delete from ${namesOn(host).table('RTSTPP')} where NOCOL = 1`, []], ['42703'], 'setup'),
  },
  {
    name: 'a merge inserts, changes confirmed rows, and leaves rows that another program has changed',
    run: async ({ host, clerk }) => {
      const row = (sequence: '1' | '2', REMADR: string) => ({ ...emailKey, REMSEQ: sequence, REMADR });
      const { sql, bind } = mergeRows(host, 'RTEMLP', ['REMADR'], 2);
      const [one, two] = [row('1', 'a@x'), row('2', 'b@x')];
      await changes(host, [sql, bind({ rows: [{ row: one }, { row: two }], stamp })], 2);
      await changes(host, [sql, bind({ rows: [{ row: one }, { row: two }], stamp })], 0);
      const { table, column } = namesOn(clerk);
      const update = `update ${table('RTEMLP')} set ${column('REMADR')} = 'c@x' where ${column('RERTE')} = 'ZZ' and ${column('REMSEQ')} = 2`;
      await changes(clerk, [update, []], 1);
      const next = [
        { row: row('1', 'd@x'), was: one },
        { row: row('2', 'e@x'), was: two },
      ];
      await changes(host, [sql, bind({ rows: next, stamp })], 1);
    },
  },
  {
    name: 'a transaction is invisible before its commit, and gone after its rollback',
    run: async ({ host, clerk }) => {
      const undo = new Error('undo');
      try {
        await host.transaction(async (tx) => {
          await tx.execute(...newStop(host, '20'));
          if (await isThere(clerk, '20')) throw new Error('another program sees a row before its commit');
          throw undo;
        });
      } catch (error) {
        if (error !== undo) throw error;
      }
      if (await isThere(clerk, '20')) throw new Error('a row is there after the rollback');
    },
  },
  {
    name: 'statements that are sent together run in their order',
    run: async ({ host }) => {
      const { table, column } = namesOn(host);
      const where = (stop: number) => `where ${column('RSRTE')} = 'ZZ' and ${column('RSSTP')} = ${stop}`;
      const statements: Statement[] = [
        newStop(host, '51'),
        [`update ${table('RTSTPP')} set ${column('RSSTP')} = 52 ${where(51)}`, []],
        [`delete from ${table('RTSTPP')} ${where(52)}`, []],
      ];
      const counts = await host.transaction((tx) => Promise.all(statements.map((one) => tx.execute(...one))));
      equal(counts, [1, 1, 1]);
    },
  },
  {
    name: 'of statements that are sent together the failure counts, and none is kept',
    run: async ({ host, clerk }) => {
      const statements = [newStop(host, '71'), newStop(host, '71'), newStop(host, '72')];
      const sent = host.transaction((tx) => Promise.all(statements.map((one) => tx.execute(...one))));
      await isRefused(sent, ['23505']);
      for (const stop of ['71', '72'] as const)
        if (await isThere(clerk, stop)) throw new Error(`stop ${stop}, sent beside the failure, is there`);
    },
  },
  {
    name: 'a transaction with a failed statement is not committed',
    run: async ({ host, clerk }) => {
      const work = host.transaction(async (tx) => {
        await tx.execute(...newStop(host, '60'));
        await tx.execute(...newStop(host, '60')).catch(() => 0);
      });
      await isRefused(work, ['40000']);
      if (await isThere(clerk, '60')) throw new Error('its other rows are there');
    },
  },
  {
    name: 'transactions run beside each other',
    run: async ({ host, clerk }) => {
      const stops = Array.from({ length: 20 }, (_, index) => `${100 + index}` as const);
      await Promise.all(stops.map((stop) => changes(host, newStop(host, stop), 1)));
      for (const stop of stops) if (!(await isThere(clerk, stop))) throw new Error(`stop ${stop} is not there`);
    },
  },
  {
    name: 'a row that another program holds fails as passing, within the limit',
    run: async ({ host, clerk }) => {
      const { table, column } = namesOn(clerk);
      await changes(clerk, newStop(clerk, '30'), 1);
      const update = `update ${table('RTSTPP')} set ${column('RSETA')} = 1 where ${column('RSRTE')} = 'ZZ' and ${column('RSSTP')} = 30`;
      await clerk.transaction(async (tx) => {
        await tx.execute(update);
        await refuses(host, [update, []], ['57033', '40001', '57014'], 'passing');
      });
    },
  },
  {
    name: 'the doorbell has the changes of other programs, and none of the service',
    run: async ({ host, clerk, rings }) => {
      if (!rings) return;
      await changes(host, newStop(host, '40'), 1);
      await changes(clerk, newStop(clerk, '41'), 1);
      const { changes: found } = await new Doorbell(host).poll();
      const stops = found.filter(({ file, key: { RSRTE } }) => file === 'RTSTPP' && RSRTE === 'ZZ');
      const numbers = new Set(stops.map(({ key: { RSSTP } }) => RSSTP));
      if (!numbers.has('41')) throw new Error('a change of another program has no line in PODCHGP');
      if (numbers.has('40'))
        throw new Error('a change of the service has a line in PODCHGP: CLIENT_APPLNAME is not TAILGATE');
    },
  },
];

const emailKey = { REFAC: noRoute.facility, RERTE: noRoute.id, REWKE: noRoute.week_end, RESTP: '1' } as const;

type Statement = [sql: string, values: readonly HostValue[]];

/** A new stop of the route. */
function newStop(host: Host, stop: `${number}`, customer = 'ZZ'): Statement {
  const columns = ['RSFAC', 'RSRTE', 'RSWKE', 'RSSTP', 'RSCUS', 'RSTYP', 'RSETA'] as const;
  const { sql, bind } = insertRows(host, 'RTSTPP', columns, 1);
  const place = { RSFAC: noRoute.facility, RSRTE: noRoute.id, RSWKE: noRoute.week_end, RSSTP: stop };
  const row = { ...place, RSCUS: customer, RSTYP: '', RSETA: '930' } as const;
  return [sql, bind({ rows: [row], stamp })];
}

async function isThere(clerk: Host, stop: `${number}`): Promise<boolean> {
  const { sql, bind } = selectRows(clerk, 'RTSTPP', ['RSRTE', 'RSSTP']);
  return (await clerk.query(sql, bind({ RSRTE: noRoute.id, RSSTP: stop }))).length > 0;
}

function newEmail(host: Host, REMADR: string): Statement {
  const { sql, bind } = mergeRows(host, 'RTEMLP', ['REMADR'], 1);
  return [sql, bind({ rows: [{ row: { ...emailKey, REMSEQ: '9', REMADR } }], stamp })];
}

type Columns = { readonly [Name in 'RULAT' | 'RULON' | 'RURPSQ' | 'RUCMT']?: HostRecord<'RTSTUP'>[Name] };

/** Writes these columns of a result, and reads them back. */
async function storedResult(host: Host, RUSTP: `${number}`, given: Columns): Promise<Columns> {
  const row = { ...key, RUSTP, RULAT: '0.000000', RULON: '0.000000', RURPSQ: '0', RUCMT: '', ...given } as const;
  const { sql, bind } = putRows(host, 'RTSTUP', ['RULAT', 'RULON', 'RURPSQ', 'RUCMT'], 1);
  await changes(host, [sql, bind({ rows: [row], stamp })], 1);
  const select = selectRows(host, 'RTSTUP', ['RUFAC', 'RURTE', 'RUWKE', 'RUSTP']);
  const [found] = readRecords('RTSTUP', await host.query(select.sql, select.bind(row)));
  if (!found) throw new Error('the row is not there');
  const { RULAT, RULON, RURPSQ, RUCMT } = found;
  const all: Columns = { RULAT, RULON, RURPSQ, RUCMT };
  return Object.fromEntries(Object.entries(all).filter(([column]) => column in given));
}

async function changes(host: Host, [sql, values]: Statement, rows: number): Promise<void> {
  const count = await host.transaction((tx) => tx.execute(sql, values));
  if (count !== rows) throw new Error(`${count} rows were written, and not ${rows}`);
}

function refuses(host: Host, [sql, values]: Statement, states: readonly string[], kind?: HostErrorKind): Promise<void> {
  return isRefused(
    host.transaction((tx) => tx.execute(sql, values)),
    states,
    kind,
  );
}

async function isRefused(work: Promise<unknown>, states: readonly string[], kind?: HostErrorKind): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (states.includes(error.sqlstate) || error.kind === kind) return;
    throw new Error(`refused by ${error.sqlstate} and not by ${states.join(' or ')}: ${error.message}`, {
      cause: error,
    });
  }
  throw new Error(`accepted, and not refused by ${states.join(' or ')}`);
}

function equal(found: object | undefined, given: object): void {
  const [there, here] = [JSON.stringify(found), JSON.stringify(given)];
  if (there !== here) throw new Error(`${here} came back as ${there}`);
}
