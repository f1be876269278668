import { useEffect, useState } from 'react';
import { repeatedFaultOf } from './api/reads.ts';
import type { Fault } from './api/reads.ts';
import { repeatOnNews } from './api/repeat.ts';
import { useServices } from './services.ts';

interface Asset {
  /** An address of the bytes within this page. */
  readonly url: string | undefined;
  readonly fault: Fault | undefined;
}

/**
 * The bytes of a file, fetched with the operator's token when they are wanted. The type of the address is the given one, never
 * the answer's: no document of a file can run in the page's origin.
 */
export function useAsset(asset_id: string, type: string, isWanted: boolean): Asset {
  const { api, live } = useServices();
  const [asset, setAsset] = useState<Asset>({ url: undefined, fault: undefined });
  useEffect(() => {
    if (!isWanted) return undefined;
    const leaving = new AbortController();
    let url: string | undefined;
    const load = async (): Promise<void> => {
      if (url !== undefined) return;
      try {
        const bytes = await api.bytes('readOpsAsset', { params: { asset_id } }, leaving.signal);
        if (leaving.signal.aborted) return;
        url = URL.createObjectURL(bytes.slice(0, bytes.size, type));
        setAsset({ url, fault: undefined });
      } catch (error) {
        if (!leaving.signal.aborted) setAsset({ url: undefined, fault: repeatedFaultOf(error) });
      }
    };
    // A file does not change: only one that has not come is asked for again.
    const end = repeatOnNews(live, ({ subject }) => subject === 'all', load);
    return () => {
      end();
      leaving.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [asset_id, type, isWanted]);
  return asset;
}
