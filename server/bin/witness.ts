import type { AddressInfo } from 'node:net';
import { runProgram } from '../src/runtime/command-line.ts';
import { StartError } from '../src/runtime/start-error.ts';
import { COSIGNATURE, keyText, publicBytes } from '../src/tlog/format/note.ts';
import { serveWitness } from '../src/witness/http.ts';
import { readLogs, readWitnessSettings, witnessHelp } from '../src/witness/settings.ts';
import { openFolder } from '../src/witness/store.ts';

// `npm run witness`: a witness of transparency logs, with a key and a folder of its own. It is meant for another
// organisation than that of the logs.

process.umask(0o077);

await runProgram(witnessHelp, main, 'The witness cannot start.');

async function main(): Promise<void> {
  const { name, folder, logs, host, port } = readWitnessSettings(process.env);
  await readLogs(logs);
  const { checkpoints, key } = await openFolder(folder, name);
  const say = (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);
  const server = serveWitness({ checkpoints, key, logs, say });
  await new Promise<void>((listening, fail) => {
    server.once('error', (cause) => fail(new StartError(`WITNESS_PORT ${port}: ${cause.message}`, { cause })));
    server.listen(port, host, listening);
  });
  const stop = () => {
    server.close(() => process.exit());
    server.closeIdleConnections();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Started by another program, it ends with that.
  process.on('disconnect', stop);
  const text = keyText({ name, algorithm: COSIGNATURE, key: publicBytes(key.private) });
  process.stdout.write(
    `The witness is ready. Setting of the server: WITNESSES=${text}@http://${host}:${portOf(server.address())}\n`,
  );
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address ? address.port : 0;
}
