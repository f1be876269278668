-- The oldest entries of a cause come first, in lists and in retries.
create index parked_by_cause_and_age on parked (cause, parked_at, parked_id);
drop index parked_by_cause;
create index parked_row_by_cause_and_age on parked_row (cause, parked_at, parked_id);
drop index parked_row_by_cause;
