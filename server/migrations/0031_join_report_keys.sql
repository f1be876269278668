-- Reports whose ids differ in blanks at the end, or in how a character is composed, are one report on the host, where
-- the one has overwritten the other (decision 74). Their revisions become those of one report, in the order of receipt;
-- the latest goes out again. An incident names them. Loads, stops, drivers and sections are spelled by the same rule,
-- because lists look for them by it.

create function joining_host_key(key text) returns text language sql immutable as $$
  select rtrim(normalize(key, NFC), ' ')
$$;

-- The text of a report with one of its members spelled anew. A quote within a text is escaped: only a member begins so.
create function joining_respell(doc text, member text, key text) returns text language sql immutable as $$
  select replace(doc, member || to_json(key)::text || ',', member || to_json(joining_host_key(key))::text || ',')
$$;

create table joining_moved as
select report_id, revision, joining_host_key(report_id) as to_id,
       row_number() over (partition by joining_host_key(report_id)
                          order by received_at, revision, report_id collate "C") as to_revision
  from load_report_revision
 where joining_host_key(report_id) in (
   select joining_host_key(report_id) from load_report where report_id <> joining_host_key(report_id));

insert into incident (incident_id, kind, details)
select gen_random_uuid(), 'keys_joined',
       jsonb_build_object('report', to_id, 'joined', jsonb_agg(distinct report_id), 'revisions', count(*))::text
  from joining_moved group by to_id;

-- The order makes all of them leave before the first comes back.
with gone as (
  delete from load_report_section s using joining_moved m
   where s.report_id = m.report_id and s.revision = m.revision
  returning m.to_id, m.to_revision, s.seq, s.key, s.rating)
insert into load_report_section (report_id, revision, seq, key, rating)
select to_id, to_revision, seq, key, rating from gone order by to_id, to_revision, seq;

with gone as (
  delete from load_report_revision r using joining_moved m
   where r.report_id = m.report_id and r.revision = m.revision
  returning m.to_id, m.to_revision, r.load_id, r.stop_id, r.driver_id, r.captured_at, r.received_at,
            joining_respell(r.doc, '"reportId":', r.report_id) as doc)
insert into load_report_revision (report_id, revision, load_id, stop_id, driver_id, captured_at, received_at, doc)
select to_id, to_revision, load_id, stop_id, driver_id, captured_at, received_at, doc
  from gone order by to_id, to_revision;

delete from parked_row p using joining_moved m where p.file = 'LCRHDP' and p.key = m.report_id;
delete from load_report h using joining_moved m where h.report_id = m.report_id;
insert into load_report (report_id, version) select to_id, max(to_revision) from joining_moved group by to_id;

update load_report_revision
   set doc = joining_respell(joining_respell(joining_respell(doc, '"loadId":', load_id), '"stopId":', stop_id),
                             '"driverId":', driver_id),
       load_id = joining_host_key(load_id), stop_id = joining_host_key(stop_id), driver_id = joining_host_key(driver_id)
 where (load_id, stop_id, driver_id)
    <> (joining_host_key(load_id), joining_host_key(stop_id), joining_host_key(driver_id));

do $$
declare
  section record;
begin
  for section in select * from load_report_section where key <> joining_host_key(key) loop
    update load_report_revision set doc = joining_respell(doc, '{"key":', section.key)
     where report_id = section.report_id and revision = section.revision;
  end loop;
  update load_report_section set key = joining_host_key(key) where key <> joining_host_key(key);
end
$$;

drop table joining_moved;
drop function joining_respell(text, text, text);
drop function joining_host_key(text);
