import { describe, expect, test } from 'vitest';
import { ensureEpoch } from '../../../server/src/db/epoch.ts';
import { runCellsCommand } from '../../../server/src/ops/cells/cells.ts';
import { parseCellsCommand } from '../../../server/src/ops/commands/cells-commands.ts';
import { opsManual } from '../../../server/src/ops/commands/cli.ts';
import { declareRestored } from '../../../server/src/ops/restore/restored.ts';
import { makeCells } from '../../support/cells.ts';
import { createDatabase } from '../../support/postgres.ts';

const parse = (words: string) => parseCellsCommand(['cells', ...words.split(' ')], opsManual);

describe('npm run ops -- cells', () => {
  test('reads its words, and refuses others by name', () => {
    expect(parse('make chicago')).toEqual({ act: 'make', cell: 'chicago', yes: false });
    expect(parse('distribute chicago --yes')).toEqual({ act: 'distribute', cell: 'chicago', yes: true });
    expect(parse('move chicago db2:5433')).toMatchObject({ act: 'move', host: 'db2', port: 5433 });
    expect(parse('check chicago')).toEqual({ act: 'check', cell: 'chicago' });
    expect(() => parse('make Chicago')).toThrow('cells: expected the schema of the cell');
    expect(() => parse('move chicago db2')).toThrow('cells move: expected HOST:PORT of a node, got db2');
    for (const wrong of ['make', 'split chicago', 'check chicago --yes', 'make chicago now'])
      expect(() => parse(wrong)).toThrow('npm run ops');
    expect(parseCellsCommand(['replication'], opsManual)).toBeUndefined();
  });

  test('prints its statements, and changes nothing without --yes', async () => {
    const { pool } = await createDatabase({ empty: true });
    const printed = await runCellsCommand({ act: 'make', cell: 'chicago', yes: false }, pool);
    expect(printed).toContain(`set tailgate.cell = 'chicago';`);
    expect(printed).toContain('-- Nothing was changed: --yes runs these statements.');
    expect((await pool.query(`select to_regnamespace('chicago') as cell`)).rows).toEqual([{ cell: null }]);
  });

  test('checks a cell beside others, which needs no distribution', async () => {
    const database = await createDatabase({ empty: true });
    const [cell] = await makeCells(database, ['checked']);
    const name = cell?.name ?? '';
    const found = await runCellsCommand({ act: 'check', cell: name }, database.pool);
    expect(found).toMatch(/^cell checked_\w+: \d+ tables\nnot distributed: this PostgreSQL has no Citus$/);
    await expect(runCellsCommand({ act: 'distribute', cell: name, yes: true }, database.pool)).rejects.toThrow(
      'cells: this PostgreSQL has no Citus',
    );
    await expect(runCellsCommand({ act: 'check', cell: 'nowhere' }, database.pool)).rejects.toThrow(
      'cells: there is no schema nowhere in this database',
    );
  });
});

describe('the epoch of a cell on a node of a cluster', () => {
  test('includes the history of the node, whose fail-over alone is noticed', async () => {
    const { pool } = await createDatabase();
    await ensureEpoch(pool);
    // The catalog of Citus, and its function that asks the nodes.
    await pool.query('create table pg_dist_schema (schemaid oid, colocationid int)');
    await pool.query(`insert into pg_dist_schema values ('public'::regnamespace, 1)`);
    await pool.query(`create table node (history text)`);
    await pool.query(`insert into node values ('4711 1')`);
    await pool.query(
      `create function run_command_on_placements(regclass, text, out result text, out success boolean)
       language sql as $$ select history, true from node $$`,
    );
    // A cell that was distributed after its first start has the same history.
    expect(await ensureEpoch(pool)).toBe(1);
    await declareRestored(pool, 'distributed');
    expect(await ensureEpoch(pool)).toBe(2);
    await pool.query(`update node set history = '4711 2'`);
    await expect(ensureEpoch(pool)).rejects.toThrow('the node of this cell is on timeline 2, it was on 1');
    await pool.query(`update node set history = '4712 1'`);
    await expect(ensureEpoch(pool)).rejects.toThrow('the node of this cell is cluster 4712, it was 4711');
  });
});
