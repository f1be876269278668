import { cellSuffix } from '../db/cell.ts';
import type { LoadConditionReport } from '@tailgate/sync-protocol';
import { columns, instant, int2, int8, text } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Statement } from '../db/types.ts';
import type { NewRevision } from './rules.ts';

/**
 * Locks reports by their ids, in order, existing or not: only one of two first revisions may be the first. Taken after
 * clients and routes (I13). $1 ids, sorted.
 */
export const lockReports = statement(
  'reports_lock',
  `select pg_advisory_xact_lock(hashtextextended('load report ' || report_id || ${cellSuffix}, 0))
     from unnest($1::text[]) as report_id`,
);

/** The latest revisions of reports. $1 ids. */
export const loadLatestReports = statement(
  'reports_load_standing',
  `select r.report_id, r.revision, r.received_at, r.doc
     from unnest($1::text[]) as k (report_id)
     join load_report h using (report_id)
     join load_report_revision r on r.report_id = h.report_id and r.revision = h.version`,
);

const latest = columns<readonly [reportId: string, version: number]>({
  report_id: text(([reportId]) => reportId),
  version: int8(([, version]) => version),
});
export const saveReports = latest.statement(
  'reports_save',
  `insert into load_report (${latest.names}) select * from ${latest.rows}
   on conflict (report_id) do update set version = excluded.version`,
);

const revisions = columns<NewRevision>({
  report_id: text(({ report }) => report.reportId),
  revision: int8(({ stored }) => stored.revision),
  load_id: text(({ report }) => report.loadId),
  stop_id: text(({ report }) => report.stopId),
  driver_id: text(({ report }) => report.driverId),
  captured_at: instant(({ report }) => Date.parse(report.capturedAt)),
  received_at: instant(({ stored }) => stored.receivedAt),
  doc: text(({ stored }) => stored.doc),
});
export const saveRevisions = revisions.statement(
  'reports_save_revisions',
  `insert into load_report_revision (${revisions.names}) select * from ${revisions.rows}`,
);

/** A section of a revision; lists of reports are filtered by these rows. */
type SectionRow = LoadConditionReport['sections'][number] & {
  readonly reportId: string;
  readonly revision: number;
  readonly seq: number;
};
const sections = columns<SectionRow>({
  report_id: text(({ reportId }) => reportId),
  revision: int8(({ revision }) => revision),
  seq: int2(({ seq }) => seq),
  key: text(({ key }) => key),
  rating: int2(({ rating }) => rating),
});
export const saveSections = sections.statement(
  'reports_save_sections',
  `insert into load_report_section (${sections.names}) select * from ${sections.rows}`,
);

/**
 * A page of reports, newest first, and the count of rows from which it was cut. It has no name, so that PostgreSQL
 * plans it for the given filters and can use their index. $1 all revisions or the latest ones only · $2 report, $3
 * load, $4 stop, $5 driver · $6 to $7 captured · $8 key, $9 least and $10 most rating, of one and the same section ·
 * $11 to $13 the end of the previous page · $14 rows · $15 bytes of documents after which the page ends.
 */
export const listReports: Statement = `
  select report_id, revision, captured_at, doc, found
    from (
      select page.report_id, page.revision, page.captured_at, page.doc, (count(*) over ())::int as found,
             sum(octet_length(page.doc)) over (order by page.captured_at desc, page.report_id desc, page.revision desc)
               - octet_length(page.doc) as bytes_before
        from (
          select r.report_id, r.revision, r.captured_at, r.doc
            from load_report_revision r
            join load_report h on h.report_id = r.report_id
           where ($1::boolean or r.revision = h.version)
             and ($2::text is null or r.report_id = $2)
             and ($3::text is null or r.load_id = $3)
             and ($4::text is null or r.stop_id = $4)
             and ($5::text is null or r.driver_id = $5)
             and ($6::timestamptz is null or r.captured_at >= $6)
             and ($7::timestamptz is null or r.captured_at <= $7)
             and (($8::text is null and $9::smallint is null and $10::smallint is null) or exists (
               select from load_report_section s
                where s.report_id = r.report_id and s.revision = r.revision
                  and ($8::text is null or s.key = $8)
                  and ($9::smallint is null or s.rating >= $9)
                  and ($10::smallint is null or s.rating <= $10)))
             and ($11::timestamptz is null or (r.captured_at, r.report_id, r.revision) < ($11, $12::text, $13::bigint))
           order by r.captured_at desc, r.report_id desc, r.revision desc
           limit $14
        ) page
    ) counted
   where bytes_before < $15
   order by captured_at desc, report_id desc, revision desc`;
