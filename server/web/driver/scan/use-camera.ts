import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { usePageVisible } from '../page-visible.ts';
import type { Camera, CameraFault } from './camera.ts';
import { openCamera } from './camera.ts';
import { handScanner } from './hand-scanner.ts';

export interface CameraView {
  readonly video: RefObject<HTMLVideoElement | null>;
  /** `waits`: for a tap, because a hardware scanner is in use. */
  readonly state: 'opening' | 'on' | 'waits' | CameraFault;
  readonly start: () => void;
  /** Undefined where the phone has none. */
  readonly light: { readonly isOn: boolean; readonly toggle: () => void } | undefined;
}

/** The camera of a screen: open while the screen is shown and the page is visible, and released otherwise. */
export function useCamera(onCode: (code: string) => void): CameraView {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(onCode);
  latest.current = onCode;
  const [isWanted, setWanted] = useState(!handScanner.current);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<CameraView['state']>('opening');
  const [camera, setCamera] = useState<Camera>();
  const [isLit, setLit] = useState(false);
  const isVisible = usePageVisible();

  useEffect(() => {
    const { current } = video;
    if (!isWanted || !isVisible || !current) return undefined;
    const closing = new AbortController();
    setState('opening');
    setLit(false);
    const onFault = (fault: CameraFault): void => {
      setState(fault);
      if (fault !== 'reader') closing.abort();
    };
    const listener = { onFault, onCode: (code: string) => latest.current(code) };
    const open = async (): Promise<void> => {
      const opened = await openCamera(current, closing.signal, listener);
      if (!opened || closing.signal.aborted) return;
      setCamera(opened);
      setState('on');
    };
    void open();
    return () => {
      closing.abort();
      setCamera(undefined);
    };
  }, [isWanted, isVisible, attempt]);

  const toggle = (): void => {
    // A track without the light that it promises leaves the button as it was.
    void camera?.setLight(!isLit).then(
      () => setLit(!isLit),
      () => undefined,
    );
  };
  return {
    video,
    state: isWanted ? state : 'waits',
    start: () => {
      setWanted(true);
      setAttempt((count) => count + 1);
    },
    light: camera?.hasLight === true ? { isOn: isLit, toggle } : undefined,
  };
}
