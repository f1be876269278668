import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endWithNpm } from '../../server/src/runtime/npm-parent.ts';
import { endTestCluster, retainedDatabases, startTestCluster } from './test-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the database `postgres` of this run's PostgreSQL. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run; `postgres.ts` makes a database in it for each file that wants one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  endWithNpm(process.env);
  const running = await startTestCluster();
  project.provide('postgresUrl', running.url);
  // The servers of tests load the same modules: the compile cache of one saves each of the others half a second of CPU.
  process.env['NODE_COMPILE_CACHE'] = join(running.home, 'compiled');
  return async () => {
    delete process.env['NODE_COMPILE_CACHE'];
    const retained = await retainedDatabases(running.url);
    await endTestCluster(running, retained);
    if (retained.length > 0)
      console.log(`kept ${retained.join(', ')}; to look inside: npm run test:database -- ${running.home}`);
  };
}
