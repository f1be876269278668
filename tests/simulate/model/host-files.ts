import { createHash } from 'node:crypto';
import type { Evidence, Row } from './evidence.ts';
import { CAPTURED_AT, recordedReports, SECTIONS } from './reports.ts';
import { type StoredFile, storedFilesOf } from './stored-files.ts';

// Rows of the host beside the stops': load reports and files (docs/host-files.md).

/** The name that the app gives a photo. */
export const photoName = (employee: string): string => `photo-${employee}.jpg`;

/** Whether a row belongs to a world: its key contains a driver, a report or a file of that world. */
export async function ownRows({ drivers }: Pick<Evidence, 'drivers'>): Promise<(key: readonly string[]) => boolean> {
  const files = (await storedFilesOf({ drivers })).map(({ id }) => id);
  const named = drivers.flatMap(({ history }) => history.taps.flatMap(({ values }) => values.signature_id ?? []));
  const own = new Set([...files, ...named, ...drivers.map(({ employee }) => employee)]);
  return (key) => key.some((part) => own.has(/^R(\d+)-\d$/.exec(part)?.[1] ?? part));
}

/** Each report has its latest revision on the host, and each file all of its bytes. */
export async function wrongHostFiles(evidence: Evidence): Promise<string[]> {
  return [...(await wrongReportRows(evidence)), ...(await wrongFileRows(evidence))];
}

async function wrongReportRows({ host, drivers }: Evidence): Promise<string[]> {
  const wrong: string[] = [];
  const recorded = recordedReports(drivers);
  const ids = [...recorded.keys()];
  const headers = await select(host, 'LCRHDP', 'LHRPT', ids);
  const sections = await select(host, 'LCRSCP', 'LSRPT', ids);
  for (const [id, { revisions, strays }] of recorded) {
    const driver = /^R(\d+)-/.exec(id)?.[1] ?? '';
    const header = {
      ...{ LHRPT: id, LHLOD: 'L1', LHSTP: '1', LHDRV: driver, LHUTC: CAPTURED_AT },
      ...{ LHDAT: '20261120', LHTIM: '213000', LHREV: `${revisions.length}` },
    };
    wrong.push(...wrongRows(`report ${id}`, [header], of(headers, 'LHRPT', id)));
    const shown = of(sections, 'LSRPT', id).toSorted((a, b) => Number(a['LSSEQ']) - Number(b['LSSEQ']));
    // Each stray revision may be the latest, too.
    const latest = [revisions.findLast((each) => !strays.has(each)), ...strays].filter((each) => each !== undefined);
    const differences = latest.map((each) => wrongRows(`the sections of report ${id}`, sectionsOf(id, each), shown));
    if (differences.every((each) => each.length > 0)) wrong.push(...differences.flat());
  }
  return wrong;
}

function sectionsOf(id: string, revision: string): Row[] {
  const comments = revision.split(':')[1]?.split('|') ?? [];
  return comments.map((comment, n) => ({
    ...{ LSRPT: id, LSSEQ: `${n + 1}`, LSKEY: SECTIONS[n] ?? '', LSRAT: '3', LSRSN: 'seen', LSCMT: comment },
    ...{ LSTXTL: 'N', LSPHO: '' },
  }));
}

async function wrongFileRows(evidence: Evidence): Promise<string[]> {
  const files = await storedFilesOf(evidence);
  const { headers, chunks } = await readFileRows(evidence, files);
  return files.flatMap(({ id, employee, bytes }) => {
    const header = {
      ...{ AHID: id, AHBAT: id, AHSEQ: '1', AHNAM: photoName(employee), AHMIM: 'image/jpeg', AHSIZ: `${bytes.length}` },
      ...{ AHSHA: createHash('sha256').update(bytes).digest('hex'), AHCHKN: '1', AHSTS: 'R' },
    };
    const chunk = { ACID: id, ACSEQ: '1', ACLEN: `${bytes.length}`, ACDTA: bytes.toString('hex') };
    return [
      ...wrongRows(`file ${id}`, [header], of(headers, 'AHID', id)),
      ...wrongRows(`the bytes of file ${id}`, [chunk], of(chunks, 'ACID', id).map(withHexBytes)),
    ];
  });
}

/** A host program that finds a ready file finds every byte of it, at any moment. */
export async function incompleteFiles(evidence: Pick<Evidence, 'drivers' | 'host'>): Promise<string[]> {
  const { headers, chunks } = await readFileRows(evidence, await storedFilesOf(evidence));
  return headers.flatMap((header) => {
    if (header['AHSTS'] !== 'R') return [];
    const length = of(chunks, 'ACID', header['AHID']).reduce((sum, { ACLEN }) => sum + Number(ACLEN), 0);
    const { AHID: id, AHSIZ: size } = header;
    return length === Number(size) ? [] : [`file ${String(id)} is ready on the host with ${length} of ${String(size)}`];
  });
}

async function readFileRows(
  { host }: Pick<Evidence, 'host'>,
  files: readonly StoredFile[],
): Promise<{ headers: readonly Row[]; chunks: readonly Row[] }> {
  const ids = files.map(({ id }) => id);
  return { headers: await select(host, 'ASSHDP', 'AHID', ids), chunks: await select(host, 'ASSCHP', 'ACID', ids) };
}

async function select(
  host: Evidence['host'],
  file: string,
  key: string,
  values: readonly string[],
): Promise<readonly Row[]> {
  if (values.length === 0) return [];
  const marks = values.map(() => '?').join(', ');
  return host.query(`select * from PODDTA.${file} where ${key} in (${marks})`, values);
}

const of = (rows: readonly Row[], key: string, value: unknown): Row[] => rows.filter((row) => row[key] === value);

const withHexBytes = (row: Row): Row => {
  const { ACDTA: bytes } = row;
  return { ...row, ACDTA: Buffer.isBuffer(bytes) ? bytes.toString('hex') : bytes };
};

/** Compares the named columns of each row. */
function wrongRows(name: string, expected: readonly Row[], shown: readonly Row[]): string[] {
  if (expected.length !== shown.length) return [`${name}: ${shown.length} rows on the host, not ${expected.length}`];
  return expected.flatMap((row, n) =>
    Object.entries(row).flatMap(([column, value]) =>
      shown[n]?.[column] === value
        ? []
        : [`${name} has ${column} ${String(shown[n]?.[column])} on the host, not ${String(value)}`],
    ),
  );
}
