-- Lines whose item or invoice differ in blanks at the end, or in how a character is composed, are one line on the host
-- (decision 74). Results that hold them apart get one line for both: per field the later edit stands, as if the key had
-- been the same from the start. An incident names what was joined and each value that lost.

-- Functions and tables of this schema, dropped at the end: an owner of the tables may lack the right to temporary ones.
create function joining_host_key(key text) returns text language sql immutable as $$
  select rtrim(normalize(key, NFC), ' ')
$$;

-- Whether the edit of stamp a came after that of stamp b (isLater of the protocol).
create function joining_is_later(a jsonb, b jsonb) returns boolean language sql immutable as $$
  select coalesce((((a ->> 'at')::numeric, (a ->> 'client') collate "C", (a ->> 'seq')::numeric)
                 > ((b ->> 'at')::numeric, (b ->> 'client') collate "C", (b ->> 'seq')::numeric)), b is null)
$$;

-- The result with its lines joined, and what was joined: null where nothing was to do.
create function joining_join_lines(before jsonb, out result jsonb, out joined jsonb) language plpgsql as $$
declare
  stamps jsonb := coalesce(before -> 'by', '[]');
  old_at jsonb := coalesce(before -> 'at', '{}');
  new_at jsonb := '{}';
  kind text;
  lines jsonb;
  line record;
  field record;
  new_key text;
  path text;
  writer int;
  held jsonb;
  held_writer int;
  renamed jsonb := '[]';
  lost jsonb := '[]';
begin
  result := before;
  -- Paths of lines are written anew, with their keys.
  select coalesce(jsonb_object_agg(p.key, p.value), '{}') into new_at
    from jsonb_each(old_at) p where p.key !~ '^(products|collections)\.';
  foreach kind in array array['products', 'collections'] loop
    continue when before -> kind is null;
    lines := '{}';
    for line in select l.key, l.value from jsonb_each(before -> kind) l loop
      new_key := concat_ws(E'\t', joining_host_key(line.value ->> 'id'), joining_host_key(line.value ->> 'invoice'),
                           line.value ->> 'n');
      if new_key <> line.key then
        renamed := renamed || jsonb_build_object('kind', kind, 'from', line.key, 'to', new_key);
      end if;
      held := coalesce(lines -> new_key, jsonb_build_object('id', joining_host_key(line.value ->> 'id'),
        'invoice', joining_host_key(line.value ->> 'invoice'), 'n', line.value -> 'n'));
      for field in select f.key, f.value from jsonb_each(line.value) f where f.key not in ('id', 'invoice', 'n') loop
        path := kind || '.' || new_key || '.' || field.key;
        writer := coalesce((old_at ->> (kind || '.' || line.key || '.' || field.key))::int, 0);
        if held ? field.key then
          held_writer := coalesce((new_at ->> path)::int, 0);
          if not joining_is_later(stamps -> writer, stamps -> held_writer) then
            if held -> field.key <> field.value then
              lost := lost || jsonb_build_object('path', path, 'value', field.value, 'writer', stamps -> writer);
            end if;
            continue;
          end if;
          if held -> field.key <> field.value then
            lost := lost || jsonb_build_object('path', path, 'value', held -> field.key, 'writer', stamps -> held_writer);
          end if;
        end if;
        held := jsonb_set(held, array[field.key], field.value);
        new_at := new_at - path;
        if writer > 0 then new_at := jsonb_set(new_at, array[path], to_jsonb(writer)); end if;
      end loop;
      lines := jsonb_set(lines, array[new_key], held);
    end loop;
    result := jsonb_set(result, array[kind], lines);
  end loop;
  if renamed = '[]' then
    result := null;
    return;
  end if;
  result := case when new_at = '{}' then result - 'at' else jsonb_set(result, array['at'], new_at) end;
  joined := jsonb_build_object('lines', renamed, 'lost', lost);
end
$$;

do $$
declare
  place record;
  held record;
  joined record;
  next bigint;
begin
  -- Most results hold no such key: their text tells. A tab is written \t there.
  for place in
    select distinct facility, route_id, week_end from stop_result
     where doc like '% \\t%' or doc is not nfc normalized
     order by facility, route_id, week_end
  loop
    select version + 1 into next from route
     where facility = place.facility and id = place.route_id and week_end = place.week_end for no key update;
    continue when next is null;
    for held in
      select stop_id, doc from stop_result
       where facility = place.facility and route_id = place.route_id and week_end = place.week_end
         and (doc like '% \\t%' or doc is not nfc normalized)
    loop
      select * into joined from joining_join_lines(held.doc::jsonb);
      continue when joined.result is null;
      update stop_result set doc = joined.result::text, version = next
       where facility = place.facility and route_id = place.route_id and week_end = place.week_end
         and stop_id = held.stop_id;
      update route set version = next, changed_at = now()
       where facility = place.facility and id = place.route_id and week_end = place.week_end;
      insert into incident (incident_id, kind, details)
      values (gen_random_uuid(), 'keys_joined', (jsonb_build_object(
        'route', jsonb_build_object('facility', place.facility, 'id', place.route_id, 'week_end', place.week_end),
        'stop', held.stop_id, 'version', next) || joined.joined)::text);
    end loop;
  end loop;
  perform pg_notify('tailgate_routes', '*');
end
$$;

drop function joining_join_lines(jsonb);
drop function joining_is_later(jsonb, jsonb);
drop function joining_host_key(text);
