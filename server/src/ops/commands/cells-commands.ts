import { misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';
import { cellName } from '../../setting-values.ts';
import type { CellsCommand } from '../cells/cells.ts';

export const cellsCommands: Manual['commands'] = {
  cells: {
    takes: 'make|distribute|check CELL, move CELL HOST:PORT [--yes]',
    does: 'a cell’s schema and roles, and its node in a Citus cluster, as SQL (docs/scaling.md); --yes runs it, as a superuser',
  },
};

/** Undefined for every other command. @throws StartError */
export function parseCellsCommand(argv: readonly string[], manual: Manual): CellsCommand | undefined {
  if (argv[0] !== 'cells') return undefined;
  const { positionals, values } = readWords(argv, { yes: { type: 'boolean', default: false } });
  const [, act, cell, to] = positionals;
  const misuse = new StartError(misuseOf(manual, positionals));
  if (cell === undefined) throw misuse;
  const name = cellName().safeParse(cell);
  if (!name.success) throw new StartError(`cells: ${name.error.issues[0]?.message ?? 'unusable cell'}, got ${cell}`);
  if (act === 'move' && to !== undefined && positionals.length === 4) {
    const [, host, port] = /^([\w.-]+):(\d{1,5})$/.exec(to) ?? [];
    if (host === undefined) throw new StartError(`cells move: expected HOST:PORT of a node, got ${to}`);
    return { act, cell, host, port: Number(port), yes: values.yes };
  }
  if (positionals.length !== 3) throw misuse;
  if (act === 'check' && !values.yes) return { act, cell };
  if (act === 'make' || act === 'distribute') return { act, cell, yes: values.yes };
  throw misuse;
}
