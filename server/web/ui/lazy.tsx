import type { ComponentType } from 'react';
import { useEffect, useState } from 'react';

/**
 * A component in a file of its own, which loads when it is shown first. The worker keeps all files of the app, so it needs
 * no network; before the worker has them, it loads when the network is back.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
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
