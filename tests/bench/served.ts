import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from './child.ts';
import { startBaseline, startFloor, startTailgate } from './child.ts';
import type { BenchDatabase, Deps } from './fixture.ts';

type Work<Result> = (child: Child, database: BenchDatabase) => Promise<Result>;

/** Gives each measurement its own server and database, and removes both afterwards. */
async function served<Result>(
  deps: Deps,
  template: string | undefined,
  start: (database: BenchDatabase) => Promise<Child>,
  work: Work<Result>,
): Promise<Result> {
  const database = await deps.database('served', template);
  try {
    const child = await start(database);
    try {
      return await work(child, database);
    } finally {
      await child.stop();
    }
  } finally {
    await database.drop();
  }
}

/** The real server on a copy of the database `seed`. */
export async function onTailgate<Result>(deps: Deps, work: Work<Result>, flags: string[] = []): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tailgate-bench-'));
  try {
    return await served(deps, 'seed', ({ url }) => startTailgate(url, dataDir, 'api', flags), work);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The baseline on a database that `fill` has filled. */
export const onBaseline = <Result>(
  deps: Deps,
  fill: (database: BenchDatabase) => Promise<void>,
  work: Work<Result>,
  flags: string[] = [],
): Promise<Result> =>
  served(
    deps,
    undefined,
    async (database) => {
      await fill(database);
      return startBaseline(database.url, flags);
    },
    work,
  );

/** The floor for sockets. */
export const onFloor = <Result>(deps: Deps, work: Work<Result>, flags: string[] = []): Promise<Result> =>
  served(deps, undefined, ({ url }) => startFloor(url, flags), work);
