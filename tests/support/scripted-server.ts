import type { ScriptedOptions } from '@tailgate/client-sdk/testing';
import { ScriptedServer } from '@tailgate/client-sdk/testing';
import { atFileEnd } from './file-end.ts';

/** The scripted server of the SDK. It ends with the test file. */
export async function startScriptedServer(options: ScriptedOptions = {}): Promise<ScriptedServer> {
  const server = new ScriptedServer(options);
  await server.listen();
  atFileEnd(() => server.stop());
  return server;
}
