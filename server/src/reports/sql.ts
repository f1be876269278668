import type { Statement } from '../db/types.ts';

/**
 * Locks reports by their ids, in order, whether they are there or not: two first revisions must not both be the first.
 * Taken after clients and routes (I13). $1 ids, sorted.
 */
export const lockReports: Statement = {
  name: 'reports lock',
  text: `select pg_advisory_xact_lock(hashtextextended('load report ' || report_id, 0))
           from unnest($1::text[]) as report_id`,
};

/** The latest revisions of reports. $1 ids. */
export const loadStandingReports: Statement = {
  name: 'reports load standing',
  text: `select r.report_id, r.revision, r.received_at, r.doc
           from unnest($1::text[]) as k (report_id)
           join load_report h using (report_id)
           join load_report_revision r on r.report_id = h.report_id and r.revision = h.version`,
};

/** $1 ids, $2 versions. */
export const saveReports: Statement = {
  name: 'reports save',
  text: `insert into load_report (report_id, version)
         select report_id, version from unnest($1::text[], $2::bigint[]) as k (report_id, version)
         on conflict (report_id) do update set version = excluded.version`,
};

export const saveRevisions: Statement = {
  name: 'reports save revisions',
  text: `insert into load_report_revision (report_id, revision, load_id, stop_id, driver_id, captured_at, received_at, doc)
         select report_id, revision, load_id, stop_id, driver_id, captured_at, received_at, doc
           from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
                       $8::text[])
             as k (report_id, revision, load_id, stop_id, driver_id, captured_at, received_at, doc)`,
};

/** What lists are filtered by. */
export const saveSections: Statement = {
  name: 'reports save sections',
  text: `insert into load_report_section (report_id, revision, seq, key, rating)
         select report_id, revision, seq, key, rating
           from unnest($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::smallint[])
             as k (report_id, revision, seq, key, rating)`,
};

/**
 * A page of reports, newest first, and how many rows it was cut from. Without a name: it is planned for the filters that
 * are given, and uses the index of one of them. $1 all revisions or the latest ones only · $2 report, $3 load, $4 stop,
 * $5 driver · $6 to $7 captured · $8 key, $9 least and $10 most rating, of one and the same section · $11 to $13 where
 * the page before ended · $14 rows · $15 bytes of documents after which no further row comes.
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
