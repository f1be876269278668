import { expect, test } from 'vitest';
import { leavesOf, other, parse, record, startNode } from './log-node.ts';

test('a log that cannot be appended to keeps no other one back, and is an incident after a minute', async () => {
  const node = await startNode();
  const { pool } = node.server.database;
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'a broken index'; end $$;
     create trigger refuse before insert on log_leaf for each row when (new.facility = 'F01') execute function refuse()`,
  );
  const incidents = async () => {
    const { rows } = await pool.query<{ details: string }>(`select details from incident where kind = 'log_stalled'`);
    return rows.map(({ details }) => parse(details));
  };
  await record(node);
  await record(node, other);
  const sequencer = await node.sequencer();
  await expect(sequencer.pass()).rejects.toThrow('not appended to: 1 of the logs');
  expect(await leavesOf(node)).toEqual([]);
  expect(await leavesOf(node, 'F02')).toHaveLength(1);
  for (let passes = 1; passes < 11; passes++) await expect(sequencer.pass()).rejects.toThrow('not appended to: 1');
  expect(await incidents()).toEqual([]);
  for (let passes = 11; passes < 14; passes++) await expect(sequencer.pass()).rejects.toThrow('not appended to: 1');
  expect(await incidents()).toEqual([{ log: 'F01' }]);

  // No notification names its route again.
  await pool.query('drop trigger refuse on log_leaf');
  await sequencer.pass();
  expect(await leavesOf(node)).toHaveLength(1);
});
