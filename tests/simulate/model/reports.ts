import { isDeepStrictEqual } from 'node:util';
import type { DriverEvidence, Evidence } from './evidence.ts';
import { reportIn } from './reading.ts';

/** Before midnight at the facility, which is in Chicago. */
export const CAPTURED_AT = '2026-11-21T03:30:00.000Z';
/** The keys of a report's sections, in order. */
export const SECTIONS = ['produce', 'dry'];

/** The contents of a report, without repetitions. */
export interface RecordedReport {
  /** In the order of the driver's taps. */
  readonly revisions: readonly string[];
  /** Those of a change that one phone lost, and that its copy may send later. */
  readonly strays: ReadonlySet<string>;
}

/** Each report as its driver recorded it. */
export function recordedReports(drivers: readonly Pick<DriverEvidence, 'history'>[]): Map<string, RecordedReport> {
  const recorded = new Map<string, RecordedReport>();
  for (const { history } of drivers)
    for (const id of history.ids) {
      const { report } = history.content(id);
      if (report === undefined) continue;
      const [reportId = ''] = report.split(':');
      const { revisions, strays } = recorded.get(reportId) ?? { revisions: [], strays: new Set<string>() };
      recorded.set(reportId, {
        revisions: revisions.at(-1) === report ? revisions : [...revisions, report],
        strays: history.isStray(id) ? new Set([...strays, report]) : strays,
      });
    }
  return recorded;
}

/**
 * Each report has its contents as revisions, in the order of the driver's taps, where a stray one has no place. The same
 * content again adds none.
 */
export async function wrongReports({ db, drivers }: Evidence): Promise<string[]> {
  const recorded = recordedReports(drivers);
  const { rows } = await db.query<{ report_id: string; doc: string }>(
    'select report_id, doc from load_report_revision where driver_id = any($1) order by report_id, revision',
    [drivers.map(({ employee }) => employee)],
  );
  const stored = new Map<string, string[]>();
  for (const { report_id, doc } of rows)
    stored.set(report_id, [...(stored.get(report_id) ?? []), reportIn(JSON.parse(doc))]);
  const wrong = [...stored.keys()].filter((id) => !recorded.has(id)).map((id) => `nobody recorded the report ${id}`);
  for (const [id, { revisions, strays }] of recorded) {
    const shown = stored.get(id) ?? [];
    const placed = (each: readonly string[]): string[] => each.filter((revision) => !strays.has(revision));
    const isWhole = isDeepStrictEqual(shown.toSorted(), revisions.toSorted());
    if (!isWhole || !isDeepStrictEqual(placed(shown), placed(revisions)))
      wrong.push(`the report ${id} is stored as ${shown.join(' ')}, recorded was ${revisions.join(' ')}`);
  }
  return wrong;
}
