import { useEffect } from 'react';
import { createSignal } from '../ui/signal.ts';
import type { Fix } from './model/distance.ts';
import { usePageVisible } from './page-visible.ts';

/** The latest position of the phone. A delivery records it; nothing waits for it. */
export const position = createSignal<Fix | undefined>(undefined);

/** Between two questions at a stop; ms. */
const againMs = 60_000;
/** The oldest position that the phone may answer with; ms. */
const recentMs = 30_000;
/** The longest wait for an answer; ms. With the other two, a position is never older than the place of a delivery may be. */
const answerMs = 30_000;

/**
 * Asks the phone once, and the driver for the permission where there is none yet. A refusal changes nothing.
 *
 * @param maximumAge of a position that the phone has already; ms
 */
export function askPosition(maximumAge = recentMs): void {
  navigator.geolocation?.getCurrentPosition(
    ({ coords: { latitude, longitude }, timestamp }) => position.set({ latitude, longitude, at: timestamp }),
    () => undefined,
    { enableHighAccuracy: true, maximumAge, timeout: answerMs },
  );
}

/** Keeps the position fresh while the driver is at a stop and looks at the app. */
export function usePositionAt(stop: string | undefined): void {
  const isVisible = usePageVisible();
  useEffect(() => {
    if (stop === undefined || !isVisible) return undefined;
    askPosition();
    const timer = setInterval(() => void askPositionIfPermitted(), againMs);
    return () => clearInterval(timer);
  }, [stop, isVisible]);
}

/**
 * Asks only where the driver has permitted it before: a list is no reason to ask, and a driver who left the question
 * without an answer is not asked each minute. A position of this run is a permission that some browsers do not name.
 */
export async function askPositionIfPermitted(): Promise<void> {
  if (position.current) return askPosition();
  const { state } = (await navigator.permissions?.query({ name: 'geolocation' })) ?? {};
  if (state === 'granted') askPosition();
}
