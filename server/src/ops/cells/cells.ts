import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeHistory } from '../../db/epoch.ts';
import type { Queryable } from '../../db/types.ts';
import { StartError } from '../../runtime/start-error.ts';
import * as sql from './cells-sql.ts';

export type CellsCommand =
  | { readonly act: 'make' | 'distribute'; readonly cell: string; readonly yes: boolean }
  | { readonly act: 'move'; readonly cell: string; readonly host: string; readonly port: number; readonly yes: boolean }
  | { readonly act: 'check'; readonly cell: string };

const rolesScript = join(import.meta.dirname, '../../../deploy/roles.sql');

/**
 * Prints the statements of a command, and runs them with `--yes`: as a superuser, at the coordinator where there is one.
 * @throws StartError
 */
export async function runCellsCommand(command: CellsCommand, db: Queryable): Promise<string> {
  if (command.act === 'check') return check(db, command.cell);
  const statements = await statementsOf(command, db);
  const text = statements.map((statement) => `${statement.replace(/;\s*$/, '')};`).join('\n');
  if (!command.yes) return `${text}\n-- Nothing was changed: --yes runs these statements.`;
  // One session: a setting of the first statement counts in the next one.
  if (command.act === 'make') await db.query(text);
  else for (const statement of statements) await db.query(statement);
  return `${text}\n-- Done. ${next[command.act]}`;
}

const next = {
  make: 'Give both roles a password, then run npm run migrate as the owner, with CELL set.',
  distribute: 'npm run ops -- cells check shows its node.',
  move: 'The servers of the cell go on; npm run ops -- cells check shows its node.',
} as const;

async function statementsOf(command: Exclude<CellsCommand, { act: 'check' }>, db: Queryable): Promise<string[]> {
  const { cell } = command;
  const one = async (statement: string, values: unknown[]) =>
    (await db.query<{ text: string }>(statement, values)).rows.map(({ text }) => text);
  if (command.act === 'make') return [...(await one(sql.nameCell, [cell])), await readFile(rolesScript, 'utf8')];
  await requireCell(db, cell);
  const note = await one(sql.noteNode, [cell, nodeHistory]);
  if (command.act === 'move') return [...(await one(sql.moveSchema, [cell, command.host, command.port])), ...note];
  return [...(await one(sql.logTables, [cell])), ...(await one(sql.distributeSchema, [cell])), ...note];
}

interface CellRow extends Record<string, unknown> {
  readonly found: boolean;
  readonly citus: boolean;
  readonly tables: number;
  readonly unlogged: number;
}

async function readCell(db: Queryable, cell: string): Promise<CellRow> {
  const [row] = (await db.query<CellRow>(sql.readCell, [cell])).rows;
  if (!row?.found)
    throw new StartError(`cells: there is no schema ${cell} in this database: npm run ops -- cells make`);
  if (row.tables === 0) throw new StartError(`cells: schema ${cell} has no tables: run npm run migrate as its owner`);
  return row;
}

async function requireCell(db: Queryable, cell: string): Promise<void> {
  if (!(await readCell(db, cell)).citus)
    throw new StartError('cells: this PostgreSQL has no Citus: a cell beside others needs no distribution');
}

async function check(db: Queryable, cell: string): Promise<string> {
  const { citus, tables, unlogged } = await readCell(db, cell);
  const found = [`cell ${cell}: ${tables} tables`];
  if (!citus) return [...found, 'not distributed: this PostgreSQL has no Citus'].join('\n');
  const nodes = (await db.query<{ node: string; tables: number }>(sql.readNodes, [cell])).rows;
  const [counters] = (await db.query<{ single: number; several: number }>(sql.readCounters)).rows;
  const where = nodes.map(({ node, tables: count }) => `${node} (${count} tables)`).join(', ');
  return [
    ...found,
    nodes.length === 0 ? 'not distributed: npm run ops -- cells distribute' : `on ${where}`,
    unlogged === 0
      ? 'no unlogged table'
      : `${unlogged} unlogged tables: it cannot move (npm run ops -- cells distribute)`,
    `statements of this database: ${counters?.single ?? 0} asked one shard, ${counters?.several ?? 0} several`,
  ].join('\n');
}
