import type { Listening, ScriptedDesk } from './scripted-connections.ts';

/** Replaces `listener.ts` on platforms without ports. */
export const listen = async (_desk: ScriptedDesk): Promise<Listening> => {
  throw new Error('listen: only Node has ports; give createClient the fetch and WebSocket of the scripted server');
};
