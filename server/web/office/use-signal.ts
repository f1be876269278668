import { useSyncExternalStore } from 'react';
import type { Signal } from '../ui/signal.ts';

export const useSignal = <Value>(signal: Signal<Value>): Value =>
  useSyncExternalStore(signal.subscribe, () => signal.current);
