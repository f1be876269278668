import type { ComponentType } from 'react';
import { useEffect, useState } from 'react';

const ahead: (() => Promise<unknown>)[] = [];

/** Loads all lazy parts, so that none opens with an empty screen. */
export async function loadAhead(): Promise<void> {
  // A part that does not load now loads when it is shown.
  for (const load of ahead) await load().catch(() => undefined);
}

/**
 * A component in a file of its own, which loads when it is shown first. The worker keeps all files of the app, so it needs
 * no network; before the worker has them, it loads when the network is back.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  ahead.push(async () => (loaded = await load()));
  return function Lazy(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part) return undefined;
      const start = (): void => {
        load().then(
          (part) => setPart(() => (loaded = part)),
          () => addEventListener('online', start, { once: true }),
        );
      };
      start();
      return () => removeEventListener('online', start);
    }, [Part]);
    return Part ? <Part {...props} /> : null;
  };
}
