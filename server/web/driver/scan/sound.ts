import { keepWord, keptWord } from '../../ui/kept-word.ts';

const storageKey = 'tailgate-sound';
let isOn = keptWord(storageKey) !== 'off';
let audio: AudioContext | undefined;

export const isSoundOn = (): boolean => isOn;

/** The driver's choice. The phone's own volume and silent switch hold beside it. */
export function setSound(next: boolean): void {
  isOn = next;
  keepWord(storageKey, next ? 'on' : 'off');
}

/** One high tone and a short pulse for a planned piece; two low tones and two pulses for anything else. */
export function signalScan(isPlanned: boolean): void {
  // Browsers without a motor, and pages that were not touched yet, ignore it.
  navigator.vibrate?.(isPlanned ? 60 : [120, 80, 120]);
  if (!isOn || !('AudioContext' in globalThis)) return;
  audio ??= new AudioContext();
  // Browsers start sound after a touch of the page only; the screen shows the same in words.
  void audio.resume().catch(() => undefined);
  const { currentTime } = audio;
  for (const [start, pitch] of isPlanned
    ? [[0, 1760]]
    : [
        [0, 330],
        [0.18, 330],
      ])
    playTone(audio, currentTime + (start ?? 0), pitch ?? 0);
}

function playTone(context: AudioContext, start: number, pitch: number): void {
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = pitch;
  tone.type = 'square';
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.14);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + 0.15);
}
