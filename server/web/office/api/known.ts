import type { Api } from './api.ts';
import type { Answer, AnyInput, OperationName } from './operations.ts';

/** The last answers by request. The longest unread one leaves first. */
export interface Known {
  readonly get: (key: string) => Answer<never> | undefined;
  /**
   * Reads an answer by its ETag, and keeps it.
   *
   * @returns whether it differs from the kept one
   * @throws Refusal, Unreachable
   */
  readonly read: (
    api: Pick<Api, 'read'>,
    key: string,
    request: { readonly name: OperationName; readonly input: AnyInput; readonly signal: AbortSignal },
  ) => Promise<boolean>;
  readonly clear: () => void;
}

/** @param most answers that are kept */
export function createKnown(most: number): Known {
  const answers = new Map<string, Answer<never>>();
  const remember = (key: string, answer: Answer<never>): void => {
    answers.delete(key);
    answers.set(key, answer);
    for (const oldest of answers.keys()) if (answers.size > most) answers.delete(oldest);
  };
  return {
    get: (key) => answers.get(key),
    read: async (api, key, { name, input, signal }) => {
      const next = await api.read(name, input, { signal, etag: answers.get(key)?.etag ?? undefined });
      // An unchanged answer is as recent as a new one.
      const present = next ?? answers.get(key);
      if (present) remember(key, present);
      return next !== undefined;
    },
    clear: () => answers.clear(),
  };
}
