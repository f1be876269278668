-- Where items were declared lost: the sequence of the last item that had come before. Losses that follow each other count
-- from there, so that no queue declares more than its phone can have sealed.
alter table client add column gone_after bigint;
