import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A row of a table: its name and its figures. */
export type Figure = Readonly<Record<string, string | number>>;

export interface Report {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly ratios: Readonly<Record<string, number>>;
}

/** A table as the documents have it; a row may lack figures of others. */
function markdownTable(figures: readonly Figure[]): string {
  const names = [...new Set(figures.flatMap((figure) => Object.keys(figure)))];
  const rows = [names, ...figures.map((figure) => names.map((name) => String(figure[name] ?? '')))];
  const widths = names.map((_name, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const [head = '', ...lines] = rows.map(
    (row) => `| ${row.map((text, n) => text.padEnd(widths[n] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines].join('\n');
}

/** Prints a report and writes it as JSON under `results/` (not in git). */
export async function publish(name: string, report: Report): Promise<void> {
  console.log(`\n${report.title}\n\n${markdownTable(report.figures)}\n`);
  for (const [what, ratio] of Object.entries(report.ratios)) console.log(`${ratio.toFixed(2)} ${what}`);
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at: new Date().toISOString(), ...report }, null, 2)}\n`,
  );
}
