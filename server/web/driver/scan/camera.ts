import type { InView } from '../model/scan.ts';
import { afterFrame } from '../model/scan.ts';

/** Why there is no picture. `lost`: it ended, as when another app takes the camera. */
export type CameraFault = 'refused' | 'none' | 'busy' | 'lost' | 'reader';

export interface Camera {
  /** Whether the phone has a light for it. */
  readonly hasLight: boolean;
  readonly setLight: (isOn: boolean) => Promise<void>;
}

interface CameraListener {
  /** A code that came into view. */
  readonly onCode: (code: string) => void;
  readonly onFault: (fault: CameraFault) => void;
}

/** Pauses between two readings: a page has its frames in between, and a phone its battery. */
const pauseMs = 100;

/**
 * Shows the camera in the element and reads codes until the signal aborts, which releases the camera.
 *
 * @returns undefined where the camera cannot be opened; the listener learns why
 */
export async function openCamera(
  video: HTMLVideoElement,
  signal: AbortSignal,
  { onCode, onFault }: CameraListener,
): Promise<Camera | undefined> {
  let stream: MediaStream;
  try {
    // Undefined on an address without encryption.
    if (!('mediaDevices' in navigator)) throw new DOMException('no camera', 'NotFoundError');
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: 'environment' }, width: { ideal: 1280 }, height: { ideal: 720 } },
    });
  } catch (error) {
    if (!signal.aborted) onFault(faultOf(error));
    return undefined;
  }
  const close = (): void => {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  };
  // The page was left while the browser asked.
  if (signal.aborted) {
    close();
    return undefined;
  }
  signal.addEventListener('abort', close, { once: true });
  const [track] = stream.getVideoTracks();
  track?.addEventListener('ended', () => onFault('lost'));
  video.srcObject = stream;
  await video.play().catch(() => undefined);
  void readFrames(video, signal, onCode).catch(() => {
    if (!signal.aborted) onFault('reader');
  });
  return { hasLight: hasLight(track), setLight: (isOn) => setLight(track, isOn) };
}

function faultOf(error: unknown): CameraFault {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'none';
}

async function readFrames(video: HTMLVideoElement, signal: AbortSignal, onCode: (code: string) => void): Promise<void> {
  const { openDecoder } = await import('./decoder.ts');
  const decoder = await openDecoder();
  signal.addEventListener('abort', decoder.close, { once: true });
  if (signal.aborted) return decoder.close();
  let view: InView = new Map();
  while (!signal.aborted) {
    const codes = await decoder.read(video);
    if (signal.aborted) return;
    const { view: next, fresh } = afterFrame(view, codes, performance.now());
    view = next;
    for (const code of fresh) onCode(code);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Members of a track that types of the DOM lack: https://w3c.github.io/mediacapture-image/#torch. */
interface LightCapabilities extends MediaTrackCapabilities {
  readonly torch?: boolean;
}
interface LightConstraints extends MediaTrackConstraintSet {
  readonly torch: boolean;
}

function hasLight(track: MediaStreamTrack | undefined): boolean {
  const capabilities: LightCapabilities | undefined = track?.getCapabilities?.();
  return capabilities?.torch === true;
}

async function setLight(track: MediaStreamTrack | undefined, torch: boolean): Promise<void> {
  const light: LightConstraints = { torch };
  await track?.applyConstraints({ advanced: [light] });
}
