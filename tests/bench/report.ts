import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A row of a table: its name and its figures. */
export type Figure = Readonly<Record<string, string | number>>;

export interface Report {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly ratios: Readonly<Record<string, number>>;
}

/** Prints a report and writes it as JSON under `results/` (not in git). */
export async function publish(name: string, report: Report): Promise<void> {
  console.log(`\n${report.title}`);
  console.table(report.figures);
  for (const [what, ratio] of Object.entries(report.ratios)) console.log(`${ratio.toFixed(2)} ${what}`);
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at: new Date().toISOString(), ...report }, null, 2)}\n`,
  );
}
