-- A resumable upload: whose it is, and what its bytes have to be. An owner's upload is found by the id of the asset that
-- it will be; others may send the same id, each on their own, and whoever ends first makes the asset.
alter table asset_intake add column owner text;
alter table asset_intake add column sha256 bytea;
-- The queue says nothing that its owner does not, and a file's type is told by its bytes; nothing ever wrote these.
alter table asset_intake drop column client_id;
alter table asset_intake drop column mime;
create unique index asset_intake_by_asset on asset_intake (asset_id, owner) where asset_id is not null;
-- All bytes are here and the asset is not: whoever should have made it died in between.
create index asset_intake_whole on asset_intake (content) where received = length;
