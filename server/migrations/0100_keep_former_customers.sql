-- Customers to whom the host had given a stop before its present one: a legal hold of such a customer keeps its records.
alter table stop_plan add column former_customers text[] not null default '{}';
