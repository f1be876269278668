-- What a look at the host has shown and the import has taken in, where no trigger may tell of changes
-- (HOST_CHANGES=polling): digests of rows, or of all that a stop has in one file.
create table host_mark (
  file     text not null,
  -- Key columns with tabs between.
  place    text not null,
  -- Who created the row and when, of files where a row laid anew is another one.
  born     text not null,
  -- The columns that the host owns.
  planned  text not null,
  -- The columns that the service owns.
  recorded text not null,
  primary key (file, place)
);
