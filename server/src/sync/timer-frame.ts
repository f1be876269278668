import type { RouteHeader, Scope, ServerFrameInput } from '@tailgate/sync-protocol';
import { headerDocument } from '@tailgate/sync-protocol';

/**
 * The closing timers of a route, where its header is among the sent documents; undefined where they cannot have
 * changed.
 */
export function timerFrame(
  scope: Scope,
  documents: readonly { readonly key: string; readonly text: string | null }[],
): ServerFrameInput | undefined {
  const header = documents.find(({ key }) => key === headerDocument);
  if (!header?.text) return undefined;
  const { autoclose_at, forceclose_at } = readHeader(header.text);
  return { type: 'timer', scope, autoclose_at, forceclose_at };
}

/** The server wrote the document, so it is trusted. */
const readHeader: (text: string) => RouteHeader = JSON.parse;
