-- Lines of a route's stops that their plans do not have: the batch adds what a stop takes in, the import counts anew where
-- plans or results change (decision 75). An earlier route counts from here until then.
alter table route add column unknown_lines integer not null default 0;
