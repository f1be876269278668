-- The invoices that a stop's plan shows. A moved or deleted invoice names its old route nowhere on the host.
alter table stop_plan add column invoices text[] not null default '{}';

-- jsonb refuses a document with an escaped NUL; such a plan gets its invoices with its next change.
update stop_plan
   set invoices = array(select jsonb_path_query(doc::jsonb, '$.invoices[*].id') #>> '{}')
 where position('\u0000' in doc) = 0;

create index stop_plan_by_invoice on stop_plan using gin (invoices);
