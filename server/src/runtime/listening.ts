import type { Config } from '../config.ts';
import { StartError } from './start-error.ts';

/**
 * Opens the port of a server. An error that a person can correct is one line, with the remedy.
 *
 * @param variable the setting of the port
 * @returns the address, such as `http://127.0.0.1:3000`
 * @throws StartError where it cannot listen there
 */
export async function listen(
  http: { readonly listen: (where: { port: number; host: string }) => Promise<string> },
  { port, listenHost }: Pick<Config, 'port' | 'listenHost'>,
  variable: 'PORT' | 'METRICS_PORT' = 'PORT',
): Promise<string> {
  try {
    return await http.listen({ port, host: listenHost });
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const ways: Readonly<Record<string, string>> = {
      EADDRINUSE: `another program listens there; stop it or choose another port: ${variable}=${port + 1} npm start`,
      EACCES: `ports below 1024 need more rights; choose a higher one: ${variable}=${port + 8_000} npm start`,
      EADDRNOTAVAIL: 'this machine has no such address; set LISTEN_HOST to one of its own, e.g. 127.0.0.1',
      ENOTFOUND: unknownName,
      // No name server was involved.
      EAI_AGAIN: unknownName,
    };
    const way = ways[reason];
    if (way === undefined) throw cause;
    throw new StartError(`cannot listen on ${listenHost} port ${port}: ${way}`, { cause });
  }
}

const unknownName = 'no address is known for that name; set LISTEN_HOST to one of this machine, e.g. 127.0.0.1';
