-- Files that a stop names and that are not here. A row of awaited_asset comes with the change that names the file and may
-- outlive its arrival for a while: whoever asks what is missing asks here.
create view missing_evidence as
  select w.facility, w.route_id, w.week_end, w.stop_id, w.asset_id
    from awaited_asset w
   where not exists (select from asset a where a.id = w.asset_id and a.state = 'R');
