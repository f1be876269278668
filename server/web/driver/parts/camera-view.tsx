import { Icon } from '../../ui/icons.tsx';
import type { CameraView as Camera } from '../scan/use-camera.ts';
import { t } from '../words/words.ts';

interface CameraViewProps {
  readonly camera: Camera;
  /** The sentence for any fault, where the page has another way than a typed number. */
  readonly instead?: string;
  /** The shape of the frame: bars are wide, codes of another phone are square. */
  readonly aim?: keyof typeof frames;
}

/** The camera's picture with a frame to aim by; without a picture, a sentence gives the reason. */
export function CameraView({ camera, instead, aim = 'bars' }: CameraViewProps) {
  const { video, state, start } = camera;
  const word = state === 'on' ? undefined : stateWords[state];
  return (
    <section className="camera" aria-label={t('scan.camera')}>
      <video ref={video} className="cam" muted playsInline aria-label={t('scan.cameraPicture')} />
      {state === 'on' && (
        <svg viewBox="60 88 270 154" aria-hidden="true">
          <path className="aim" d={frames[aim]} />
        </svg>
      )}
      {word !== undefined && (
        <div className="cam-note">
          <p role="status">{instead !== undefined && isFault(state) ? instead : t(word)}</p>
          {state !== 'opening' && (
            <button className="btn" type="button" onClick={start}>
              <Icon name="cam" />
              {t(state === 'waits' ? 'scan.useCamera' : 'scan.again')}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

const frames = {
  bars: 'M74 130v-28h28M316 102h-28M316 102v28M74 196v28h28M316 196v28h-28',
  square: 'M126 122v-26h26M264 96h-26M264 96v26M126 208v26h26M264 208v26h-26',
};

const isFault = (state: Camera['state']): boolean => state !== 'on' && state !== 'opening' && state !== 'waits';

const stateWords = {
  opening: 'scan.opening',
  waits: 'scan.waits',
  refused: 'scan.refused',
  none: 'scan.noCamera',
  busy: 'scan.busy',
  lost: 'scan.lost',
  reader: 'scan.noReader',
} as const;
