import { createSignal } from '../ui/signal.ts';
import type { Fix } from './model/distance.ts';

/** The latest position of the phone. A delivery records it; nothing waits for it. */
export const position = createSignal<Fix | undefined>(undefined);

/** Asks the phone once, and the driver for the permission where there is none yet. A refusal changes nothing. */
export function askPosition(): void {
  navigator.geolocation?.getCurrentPosition(
    ({ coords: { latitude, longitude }, timestamp }) => position.set({ latitude, longitude, at: timestamp }),
    () => undefined,
    { enableHighAccuracy: true, maximumAge: 60_000, timeout: 30_000 },
  );
}

/** Asks only where the driver has permitted it before: a list is no reason to ask. */
export async function askPositionIfPermitted(): Promise<void> {
  const { state } = (await navigator.permissions?.query({ name: 'geolocation' })) ?? {};
  if (state === 'granted') askPosition();
}
