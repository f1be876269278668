/** A value that changes, in the form that `useWatch` of the SDK takes. */
export interface Signal<Value> {
  readonly current: Value;
  readonly set: (value: Value) => void;
  readonly subscribe: (listener: (value: Value) => void) => () => void;
}

export function createSignal<Value>(first: Value): Signal<Value> {
  let current = first;
  const listeners = new Set<(value: Value) => void>();
  return {
    get current() {
      return current;
    },
    set(value) {
      if (value === current) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      const own = (value: Value): void => listener(value);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
