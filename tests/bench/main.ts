import { countOf, readWords, runProgram } from '../../server/src/runtime/command-line.ts';
import { StartError } from '../../server/src/runtime/start-error.ts';
import { app } from './app.ts';
import { authTiming } from './auth-timing.ts';
import { cells } from './cells.ts';
import { device } from './device.ts';
import { drain } from './drain.ts';
import { fanout } from './fanout.ts';
import { feed } from './feed.ts';
import { idle } from './idle.ts';
import { live } from './live.ts';
import { log } from './log.ts';
import { opsRoutes } from './ops-routes.ts';
import { replicate } from './replicate.ts';
import { publish, type Report } from './report.ts';
import { rest } from './rest.ts';
import { search } from './search.ts';
import { snapshot } from './snapshot.ts';
import { upload } from './upload.ts';
import { uploadCut } from './upload-cut.ts';

interface BenchOptions {
  readonly rounds: number;
  readonly phones?: number;
  readonly mutations?: number;
}

const benches: { readonly [name: string]: (options: BenchOptions) => Promise<Report> } = {
  app,
  'auth-timing': () => authTiming(),
  cells,
  device,
  drain,
  fanout,
  feed,
  idle,
  live,
  log,
  'ops-routes': opsRoutes,
  replicate,
  rest,
  search,
  snapshot,
  upload,
  'upload-cut': () => uploadCut(),
};

const names = Object.keys(benches).join(', ');

await runProgram(`npm run bench -- NAME [--rounds N] [--phones N] [--mutations N]    one of ${names}`, async (argv) => {
  const { values, positionals } = readWords(argv, {
    rounds: { type: 'string', default: '3' },
    phones: { type: 'string' },
    mutations: { type: 'string' },
  });
  const [name = '', ...more] = positionals;
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench || more.length > 0)
    throw new StartError(`one bench at a time, got ${JSON.stringify(positionals.join(' '))}: there are ${names}`);
  const { rounds, phones, mutations } = values;
  const report = await bench({
    rounds: countOf('rounds', rounds),
    ...(phones !== undefined && { phones: countOf('phones', phones) }),
    ...(mutations !== undefined && { mutations: countOf('mutations', mutations) }),
  });
  await publish(name, report);
});
