import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Host } from '../../server/src/host/host.ts';
import { exerciseAt } from '../../server/src/host/exercise/exercise-at.ts';
import { printedExercise, type ExerciseReport } from '../../server/src/host/exercise/exercise.ts';
import { hostFileNames } from '../../server/src/host/files/tables.ts';
import { makeLibrary, openTestHost } from '../support/driven-host.ts';
import { createDatabase } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The field kit, on the driver of this run. It tries a library that it leaves as it was.

const LIBRARY = 'PODDEV';

async function library() {
  const database = await createDatabase();
  await makeLibrary(database, LIBRARY);
  const open = (program = 'TAILGATE'): Promise<Host> => openTestHost(database.url, program, LIBRARY);
  const exercised = (): Promise<ExerciseReport> =>
    exerciseAt(open, { changes: 'doorbell', live: true }, { now: () => new Date(), service: '1.2.3' });
  const sql = async (text: string) => {
    await database.pool.query(text);
  };
  return { database, open, exercised, sql };
}

async function rowsOf(open: () => Promise<Host>): Promise<{ [file: string]: string }> {
  const host = await open();
  const counts: { [file: string]: string } = {};
  for (const file of hostFileNames) {
    const [row] = await host.query(`select count(*) as N from ${LIBRARY}.${file}`);
    counts[file] = String(row?.['N']);
  }
  await host.close();
  return counts;
}

test('a good host passes every case and takes every statement, and no row is left', async () => {
  const { open, exercised } = await library();
  await (await open()).close();
  const before = await rowsOf(open);
  const report = await exercised();
  expect(report).toMatchObject({ passed: true, left: [], library: LIBRARY, service: '1.2.3' });
  expect(report.statements.refused).toEqual([]);
  expect(report.statements.sent).toBeGreaterThan(300);
  expect(report.cases.filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect(report.cases.length).toBeGreaterThan(10);
  expect(printedExercise(report)).toMatch(/^PASSED: \d+ cases, 0 failed; \d+ statements, 0 refused, in PODDEV$/);
  expect(await rowsOf(open)).toEqual(before);
});

test('a host that differs fails by name: a trigger that is off, a short column, a scale, a missing column', async () => {
  const { open, exercised, sql } = await library();
  await (await open()).close();
  await sql(`alter table ${LIBRARY}.RTSTPP disable trigger user`);
  await sql(`alter table ${LIBRARY}.RTSTUP alter column RUCMT type char(50)`);
  await sql(`alter table ${LIBRARY}.RTSTPP alter column RSETA type numeric(5,1)`);
  await sql(`alter table ${LIBRARY}.RTPRUP drop column RQPAL`);
  const report = await exercised();
  const faults = new Map(report.cases.flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault]])));
  expect(report.passed).toBe(false);
  expect(faults.get('the doorbell has the changes of other programs, and none of the service')).toMatch(
    /no line in PODCHGP/,
  );
  expect(faults.get('every character of the code page comes back, in a text at full length')).toMatch(/^22001 /);
  expect(faults.get('texts come without blanks at their end, and numbers as texts')).toMatch(/"RSETA":"930\.0"/);
  expect(report.statements.refused.length).toBeGreaterThan(0);
  expect(report.statements.refused.filter(({ sql: text }) => !text.includes('RQPAL'))).toEqual([]);
  expect(report.diagnosis.go).toBe(false);
});

test('a host that takes a key twice fails by name, also among statements that are sent together', async () => {
  const { open, exercised, sql } = await library();
  await (await open()).close();
  await sql(`alter table ${LIBRARY}.RTSTPP drop constraint rtstpp_pkey`);
  const { passed, cases } = await exercised();
  const faults = new Map(cases.map(({ name, fault }) => [name, fault]));
  expect(passed).toBe(false);
  expect(faults.get('a key that exists is refused as a duplicate')).toMatch(/accepted/);
  expect(faults.get('of statements that are sent together the failure counts, and none is kept')).toBe(
    'Error: accepted, and not refused by 23505',
  );
});

test('a host that replaces a character that its code page lacks passes, with a note', async () => {
  const { open, exercised, sql } = await library();
  await (await open()).close();
  await sql(`create function public.replace_foreign() returns trigger language plpgsql as $$
    begin new.RSCUS := regexp_replace(new.RSCUS, '[^\\x01-\\xff]', chr(26), 'g'); return new; end $$`);
  await sql(
    `create trigger a_page before insert on ${LIBRARY}.RTSTPP for each row execute function public.replace_foreign()`,
  );
  const report = await exercised();
  expect(report.passed).toBe(true);
  expect(printedExercise(report)).toMatch(
    /^NOTE {5}a character that the code page lacks .*: Error: "Łódź" was stored as "\\u001aód\\u001a", and not refused by 22021\nPASSED: \d+ cases, 0 failed/,
  );
});

test('the command writes one file without a secret, and refuses the library of the routes', async () => {
  const { database } = await library();
  const folder = await temporaryFolder();
  const file = join(folder, 'result.json');
  const run = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(
      process.execPath,
      ['--conditions=source', 'server/bin/ops.ts', 'doctor', '--exercise', '--to', file],
      { env: { ...process.env, LEGACY_URL: database.url, ...env } },
    );
  const { stdout } = await run({});
  expect(stdout).toContain('PASSED: ');
  const text = await readFile(file, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ passed: true, library: LIBRARY, dialect: 'postgres' });
  expect(text).not.toContain(database.url);
  const { rows } = await database.pool.query("select 1 from pg_namespace where nspname = 'poddta'");
  expect(rows).toEqual([]);
  await expect(run({ LEGACY_LIBRARY: LIBRARY })).rejects.toThrow(/LEGACY_DEV_LIBRARY is LEGACY_LIBRARY/);
});
