-- The office lists routes and finds stops. Facts of a plan that it filters and orders by become columns; the import
-- writes them with the plan.
alter table stop_plan
  add column sequence integer not null default 0,
  add column eta text not null default '',
  add column customer text not null default '';

-- One row a customer: a word search over customers is smaller than one over all of their stops. The words are folded:
-- without accents, and with ASCII punctuation as blanks.
create table customer (
  facility text not null,
  id text not null,
  name text not null,
  street text not null,
  city text not null,
  phone text not null,
  words tsvector not null generated always as (
    to_tsvector('simple', regexp_replace(
      regexp_replace(normalize(name || ' ' || street || ' ' || city, NFD), '[\u0300-\u036f]+', '', 'g'),
      '[!-/:-@\[-`{-~]+', ' ', 'g'))) stored,
  primary key (facility, id)
);

-- jsonb refuses a document with an escaped NUL or half a surrogate pair; such a plan gets its facts with its next change.
with plan as materialized (
  select facility, route_id, week_end, stop_id, (doc ->> 'sequence')::numeric::integer as sequence, doc ->> 'eta' as eta,
         doc #>> '{customer,id}' as customer, doc #>> '{customer,name}' as name,
         coalesce(doc #>> '{customer,location,address,0}', '') as street, doc #>> '{customer,location,city}' as city,
         doc #>> '{customer,contact,phone}' as phone
    from (select facility, route_id, week_end, stop_id, doc::jsonb as doc
            from stop_plan where doc !~ '\\u(0000|d[89a-f])' offset 0) as readable
), placed as (
  update stop_plan p
     set sequence = plan.sequence, eta = plan.eta, customer = plan.customer
    from plan
   where (p.facility, p.route_id, p.week_end, p.stop_id) = (plan.facility, plan.route_id, plan.week_end, plan.stop_id)
)
insert into customer (facility, id, name, street, city, phone)
select distinct on (facility, customer) facility, customer, name, street, city, phone
  from plan
 order by facility, customer, week_end desc, route_id, stop_id;

create index customer_by_words on customer using gin (words);
create index customer_by_id on customer (id text_pattern_ops);
create index stop_plan_by_customer on stop_plan (customer, week_end);
-- The invoices as lexemes, for the beginning of an invoice; `stop_plan_by_invoice` finds whole ones alone.
create index stop_plan_by_invoice_start on stop_plan using gin (array_to_tsvector(array_remove(invoices, '')));

-- No batch changes these columns of a route, so its updates stay HOT.
create index route_by_id on route (id text_pattern_ops, week_end);
create index route_by_day on route (dispatched_on, facility, id, week_end);

-- The trace id of a stop on the host: RUTRC, the last column of the last file in the shadow's text.
create index host_shadow_by_trace on host_shadow (substring(rows from '"([0-9A-Z]{12})"]]}}') text_pattern_ops);
create index asset_by_id on asset (id text_pattern_ops);
