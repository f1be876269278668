import { parseArgs } from 'node:util';
import { authTiming } from './auth-timing.ts';
import { device } from './device.ts';
import { drain } from './drain.ts';
import { fanout } from './fanout.ts';
import { idle } from './idle.ts';
import { live } from './live.ts';
import { replicate } from './replicate.ts';
import { publish } from './report.ts';
import { rest } from './rest.ts';
import { snapshot } from './snapshot.ts';
import { upload } from './upload.ts';
import { uploadCut } from './upload-cut.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, phones: { type: 'string' }, mutations: { type: 'string' } },
});
const numbers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const options = { rounds: 3, ...numbers };
const benches = {
  'auth-timing': () => authTiming(),
  device: () => device(options),
  drain: () => drain(options),
  fanout: () => fanout(options),
  idle: () => idle(options),
  live: () => live(options),
  replicate: () => replicate(options),
  rest: () => rest(options),
  snapshot: () => snapshot(options),
  upload: () => upload(options),
  'upload-cut': () => uploadCut(),
};

const [name] = positionals;
const bench = Object.entries(benches).find(([known]) => known === name)?.[1];
if (!bench || !name) {
  console.error(
    `npm run bench -- NAME [--rounds N] [--phones N] [--mutations N]; NAME is one of: ${Object.keys(benches).join(', ')}`,
  );
  process.exitCode = 1;
} else await publish(name, await bench());
