import { describe, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, explain, hostManual, parseCommand, runCommand } from '../../server/src/host/tools/cli.ts';
import { createHost } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { routeFile, WEEK } from './import-fixture.ts';

const parse: (text: string) => unknown = JSON.parse;

const { host, clerk } = await createHost();
const folder = await temporaryFolder();

/** Output of the command, for a program or for a terminal. */
async function run(argv: string[], isTerminal = false, at = clerk): Promise<{ lines: string[]; warnings: string[] }> {
  const lines: string[] = [];
  const warnings: string[] = [];
  const now = new Date('2026-11-20T18:00:00Z');
  const around = {
    host: at,
    now,
    isTerminal,
    print: (line: string) => lines.push(line),
    warn: (line: string) => warnings.push(line),
  };
  await runCommand(parseCommand(argv), around);
  return { lines, warnings };
}

const failureOf = async (argv: string[]): Promise<string> => {
  try {
    await run(argv);
  } catch (error) {
    return explain(error);
  }
  throw new Error('it did not fail');
};

const fileOf = async (content: unknown): Promise<string> => {
  const file = join(folder, 'route.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

describe('sql, where people’s rows are at stake', () => {
  const real = { ...clerk, dialect: 'db2i' as const };
  const statement = "with gone as (delete from RTHDRP where RHRTE = 'NONE' returning RHRTE) select RHRTE from gone";

  test('a query that writes needs --yes, like any other statement that does', async () => {
    await expect(run(['sql', statement], false, real)).rejects.toThrow('--yes');
    await expect(run(['sql', statement, '--yes'], false, real)).resolves.toMatchObject({ lines: [] });
    await expect(run(['sql', 'select RHRTE from RTHDRP where 1 = 0'], false, real)).resolves.toMatchObject({
      lines: [],
    });
  });
});

describe('load', () => {
  test('writes a route as a dispatch program does', async () => {
    const { lines, warnings } = await run(['load', await fileOf(routeFile('R1'))]);
    expect(lines).toEqual([`route R1 of F01, week ending ${WEEK}: 3 stops dispatched`]);
    expect(warnings).toEqual(
      ['1001', '1002'].map((id) => `driver ${id} is not in the employee master (EMPMSTP) and cannot sign up`),
    );
    expect(
      await host.query("select RHNAM, RHEMLF, RHDSDT, RHPODS, RHCUSR, RHCPGM from RTHDRP where RHRTE = 'R1'"),
    ).toEqual([
      { RHNAM: 'North', RHEMLF: 'Y', RHDSDT: '20261120', RHPODS: '', RHCUSR: 'DISPATCH', RHCPGM: 'DISPATCH' },
    ]);
    expect(
      await host.query("select RPITM, RPLIN, RPQTY from RTPRDP where RPRTE = 'R1' and RPSTP = 1 order by RPITM, RPLIN"),
    ).toEqual([
      { RPITM: 'EGGS', RPLIN: '1', RPQTY: '1' },
      { RPITM: 'MILK', RPLIN: '1', RPQTY: '5' },
      { RPITM: 'MILK', RPLIN: '2', RPQTY: '2' },
    ]);
    expect(await host.query("select RSSTP, RSTYP from RTSTPP where RSRTE = 'R1' order by RSSTP")).toEqual([
      { RSSTP: '1', RSTYP: 'D' },
      { RSSTP: '2', RSTYP: 'D' },
      { RSSTP: '999', RSTYP: 'W' },
    ]);
  });

  test('changes existing rows of the same key, and does not change the service’s columns', async () => {
    await run(['load', await fileOf([routeFile('R2'), routeFile('R3')])]);
    await clerk.query("update RTSTPP set RSSTS = 'D' where RSRTE = 'R2' and RSSTP = 1");
    await clerk.query("update RTHDRP set RHPODS = 'C' where RHRTE = 'R2'");
    await run(['load', await fileOf(routeFile('R2', { stops: 1, quantity: 8, drivers: ['1003'], name: 'South' }))]);
    expect(await host.query("select RSSTP, RSSTS from RTSTPP where RSRTE = 'R2' order by RSSTP")).toEqual([
      { RSSTP: '1', RSSTS: 'D' },
      { RSSTP: '999', RSSTS: '' },
    ]);
    expect(await host.query("select RHNAM, RHPODS from RTHDRP where RHRTE = 'R2'")).toEqual([
      { RHNAM: 'South', RHPODS: 'C' },
    ]);
    expect(await host.query("select RDEMP from RTDRVP where RDRTE = 'R2'")).toEqual([{ RDEMP: '1003' }]);
    expect(await host.query("select RPQTY from RTPRDP where RPRTE = 'R2' and RPITM = 'MILK' and RPLIN = 1")).toEqual([
      { RPQTY: '8' },
    ]);
    expect(await host.query("select RSSTP from RTSTPP where RSRTE = 'R3'")).toHaveLength(3);
  });

  test('accepts the output of the unprefixed GET, with its results', async () => {
    const shown = routeFile('R4');
    const stops = shown.stops.map((stop) => ({ ...stop, updates: { status: 'P', followup: false }, osd_emails: [] }));
    await run(['load', await fileOf({ ...shown, stops, last_updated: '2026-11-20T10:00:00Z' })]);
    expect(await host.query("select RSSTS from RTSTPP where RSRTE = 'R4' and RSSTP = 1")).toEqual([{ RSSTS: '' }]);
  });

  test('names every bad path and writes nothing', async () => {
    const bad = routeFile('R5');
    const stops = [
      {
        id: 1,
        products: [{ id: 'X', quantity: -1, name: 'Łódź' }, { id: '' }],
        invoices: [{ id: 'I', date: '20.11.' }],
      },
      { id: 1 },
    ];
    const message = await failureOf([
      'load',
      await fileOf([routeFile('R6'), { ...bad, week_end: '20261131', email_flag: 'yes', stops }]),
    ]);
    for (const path of [
      '1.week_end',
      '1.email_flag',
      '1.stops.0.products.0.quantity',
      '1.stops.0.products.0.name',
      '1.stops.0.products.1.id',
      '1.stops.0.invoices.0.date',
      '1.stops.1.id',
    ])
      expect(message).toContain(`\n${path}: `);
    expect(await host.query("select RHRTE from RTHDRP where RHRTE in ('R5', 'R6')")).toEqual([]);
  });

  test('writes facilities and employees, and routes beside them', async () => {
    const content = {
      facilities: [{ id: 'F07', name: 'North Dock', time_zone: 'Europe/Berlin' }],
      employees: [
        { id: '7001', name: 'Ana Vidal', phone: '312-555-0199', facility: 'F07', job: 'DRIVER' },
        { id: '7002', name: 'Ben Ott', active: false },
      ],
      routes: [{ ...routeFile('R7', { drivers: ['7001'] }), facility: 'F07' }],
    };
    const { lines, warnings } = await run(['load', await fileOf(content)]);
    expect(lines).toEqual([
      '1 facility and 2 employees written',
      `route R7 of F07, week ending ${WEEK}: 3 stops dispatched`,
    ]);
    expect(warnings).toEqual([]);
    expect(await host.query("select FANAM, FATZ, FACUSR from FACMSTP where FAFAC = 'F07'")).toEqual([
      { FANAM: 'North Dock', FATZ: 'Europe/Berlin', FACUSR: 'MASTERS' },
    ]);
    expect(await host.query("select * from EMPMSTP where EMEMP in ('7001', '7002') order by EMEMP")).toMatchObject([
      { EMNAM: 'Ana Vidal', EMPHN: '312-555-0199', EMSTS: 'A', EMFAC: 'F07', EMJOB: 'DRIVER' },
      { EMNAM: 'Ben Ott', EMPHN: '', EMSTS: 'I', EMFAC: '', EMJOB: '' },
    ]);
    // The same employee again is a change.
    await run(['load', await fileOf({ employees: [{ id: '7002', name: 'Ben Ott' }] })]);
    expect(await host.query("select EMSTS from EMPMSTP where EMEMP = '7002'")).toEqual([{ EMSTS: 'A' }]);
  });

  test('names every bad path of masters and writes nothing', async () => {
    const message = await failureOf([
      'load',
      await fileOf({
        facilities: [{ id: 'F08', name: 'Nowhere', time_zone: 'Europe/Atlantis' }],
        employees: [{ id: '8001' }, { id: '8002', name: 'A' }, { id: '8002', name: 'B' }],
        drivers: [],
      }),
    ]);
    for (const line of [
      'facilities.0.time_zone: is no IANA time zone',
      'employees.0.name: is required',
      'employees.2.id: employee 8002 is there twice',
      'drivers',
    ])
      expect(message).toContain(line);
    expect(await host.query("select FAFAC from FACMSTP where FAFAC = 'F08'")).toEqual([]);
  });

  test('describes a file that is no JSON or missing in one line', async () => {
    expect(await failureOf(['load', await fileOf('{')])).toMatch(/^.*route\.json is no JSON: .*$/);
    expect(await failureOf(['load', join(folder, 'none.json')])).toMatch(/^.*none\.json cannot be read: ENOENT.*$/);
  });
});

describe('show', () => {
  test('prints JSON lines for programs, with numbers as numbers and text trimmed', async () => {
    const { lines } = await run(['show', 'rthdrp', "RHRTE = 'R1'"]);
    expect(lines.map((line) => parse(line))).toMatchObject([
      { RHFAC: 'F01', RHRTE: 'R1', RHWKE: 20261121, RHNAM: 'North', RHPODS: '', RHLATE: 0 },
    ]);
  });

  test('prints a table for eyes', async () => {
    const { lines } = await run(['show', 'PODDTA.RTDRVP', 'where', "RDRTE = 'R1'"], true);
    expect(lines[0]).toMatch(/^RDFAC {2}RDRTE {2}RDWKE {5}RDEMP/);
    expect(lines[1]).toMatch(/^F01 {4}R1 {5}20261121 {2}1001/);
    expect(lines.at(-1)).toBe('2 rows');
    expect((await run(['show', 'RTDRVP', '--json'], true)).lines[0]).toMatch(/^\{"RDFAC":"F01"/);
    expect((await run(['show', 'RTEMLP'], true)).lines).toEqual(['0 rows']);
  });

  const withControls = 'a\u001b]0;owned\u0007\u001b[2J\r\n\tb\u007f\u009b1A\u202ec';
  const hidden = /[\p{Cc}\p{Bidi_Control}]/u;

  test('escapes control and bidi characters on a terminal', async () => {
    await run(['load', await fileOf(routeFile('R9'))]);
    await clerk.query('update RTDRVP set RDEMP = ? where RDRTE = ? and RDEMP = ?', ['\u001b[2J\u009b', 'R9', '1001']);
    const shown = (await run(['show', 'RTDRVP', "RDRTE = 'R9'"], true)).lines;
    expect(shown.filter((line) => hidden.test(line))).toEqual([]);
    expect(shown.join('\n')).toContain('\\u001b[2J\\u009b');

    const select = `select '${withControls}' as "A", 'x' as "B"`;
    const [, row = ''] = (await run(['sql', select], true)).lines;
    expect(row).toBe('a\\u001b]0;owned\\u0007\\u001b[2J\\u000d\\u000a\\u0009b\\u007f\\u009b1A\\u202ec  x');
  });

  test('JSON lines are exact, and escaped on a terminal as JSON has it', async () => {
    const select = `select '${withControls}' as "A"`;
    const [exact = ''] = (await run(['sql', select])).lines;
    expect(exact).toBe(JSON.stringify({ A: withControls }));
    const [escaped = ''] = (await run(['sql', select, '--json'], true)).lines;
    expect(escaped).not.toMatch(hidden);
    expect(parse(escaped)).toEqual({ A: withControls });
  });

  test('escapes names in error messages, too', async () => {
    expect(await failureOf(['sql', 'select "\u001b[2J\u009b"'])).toContain('\\u001b[2J\\u009b');
  });

  test('names a wrong table or condition in one line', async () => {
    expect(await failureOf(['show', 'NOFILE'])).toMatch(/^the host has no table NOFILE: there are RTHDRP .*$/);
    expect(await failureOf(['show', 'RTHDRP', 'NOCOL = 1'])).toMatch(/^the host refused \(SQLSTATE 42703\): .*$/);
  });
});

describe('sql', () => {
  test('prints the number of affected rows, or the rows', async () => {
    expect((await run(['sql', "update RTSTPP set RSETA = 80000 where RSRTE = 'R1'"])).lines).toEqual([
      '3 rows affected',
    ]);
    expect((await run(['sql', "select RSETA from RTSTPP where RSRTE = 'R1' and RSSTP = 1"])).lines).toEqual([
      '{"RSETA":80000}',
    ]);
  });

  test('prints the host’s refusal in one line', async () => {
    expect(await failureOf(['sql', 'drop everything'])).toMatch(/^the host refused \(SQLSTATE 42601\): .*$/);
  });
});

describe('fault', () => {
  test('is on for the service until it is off', async () => {
    expect((await run(['fault', 'outage', 'on'])).lines).toEqual(['outage is on']);
    expect((await run(['fault', 'outage', 'on'])).lines).toEqual(['outage is on']);
    await expect(host.ping()).rejects.toMatchObject({ sqlstate: '08001' });
    expect((await run(['fault', 'lock', 'on', '--table', 'rtstup'])).lines).toEqual(['lock is on for RTSTUP']);
    expect((await run(['fault', 'outage', 'off'])).lines).toEqual(['outage is off']);
    await expect(host.query("delete from RTSTUP where RURTE = 'none'")).rejects.toMatchObject({ sqlstate: '57033' });
    await run(['fault', 'lock', 'off']);
    expect(await host.query("delete from RTSTUP where RURTE = 'none'")).toEqual([]);
  });
});

test.each([[[]], [['show']], [['load']], [['fault', 'outage']], [['fault', 'outage', 'maybe']], [['sql', 'a', 'b']]])(
  '%j does not run, and one line shows the right form',
  (argv) => {
    const [verb = ''] = argv;
    const { takes } = hostManual.commands[verb] ?? { takes: '' };
    const way =
      verb === '' ? 'there are load, show, sql, fault, ddl, views, layout' : `npm run host -- ${verb} ${takes}`;
    expect(() => parseCommand(argv)).toThrow(CommandError);
    expect(() => parseCommand(argv)).toThrow(way);
  },
);

test('an unknown fault is named', () => {
  expect(() => parseCommand(['fault', 'flood', 'on'])).toThrow(
    'no fault is named flood: there are outage, lock, slow, poison',
  );
});
