import { retainedDatabases, openTestCluster } from './test-cluster.ts';

// npm run test:database -- FOLDER: opens the databases that failed tests left behind, until Ctrl-C, then deletes them.
const home = process.argv[2];
if (home === undefined) throw new Error('which folder? The test run has printed it.');
const { url } = await openTestCluster(home);
for (const name of await retainedDatabases(url)) console.log(url.replace(/\/postgres$/, `/${name}`));
console.log('Ctrl-C stops this PostgreSQL and deletes it');
setInterval(() => undefined, 2 ** 30);
