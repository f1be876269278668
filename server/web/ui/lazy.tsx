import type { ComponentType } from 'react';
import { useEffect, useState } from 'react';

const ahead: (() => Promise<unknown>)[] = [];

/** Loads all lazy parts, so that none opens with an empty screen. */
export async function loadAhead(): Promise<void> {
  for (const load of ahead) await load().catch(() => undefined);
}

type Lazy = <Props extends object>(load: () => Promise<ComponentType<Props>>) => ComponentType<Props>;

/**
 * Components in files of their own, which load when they are shown first. `Missing` takes the place of one whose file does
 * not load. It has to load the page again: Chromium remembers a failed import for as long as the page is open.
 */
export function lazyWith(Missing: ComponentType): Lazy {
  return <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
    let loaded: ComponentType<Props> | undefined;
    ahead.push(async () => (loaded = await load()));
    return function LazyPart(props: Props) {
      const [Part, setPart] = useState(() => loaded);
      const [isMissing, setMissing] = useState(false);
      useEffect(() => {
        if (Part) return;
        load().then(
          (part) => setPart(() => (loaded = part)),
          () => setMissing(true),
        );
      }, [Part]);
      if (Part) return <Part {...props} />;
      return isMissing ? <Missing /> : null;
    };
  };
}
