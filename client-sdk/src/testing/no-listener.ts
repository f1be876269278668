import type { Listening, ScriptedDesk } from './scripted-lines.ts';

/** In the place of `listener.ts` where there are no ports. */
export const listen = async (_desk: ScriptedDesk): Promise<Listening> => {
  throw new Error('listen: only Node has ports; give createClient the fetch and WebSocket of the scripted server');
};
