import { useState } from 'react';
import { drafts } from './session.ts';

type Fields = Readonly<Record<string, string>>;

/** A half-written form by name: a reload and the lock keep it. */
export interface Draft {
  readonly fields: Fields;
  readonly change: (name: string, value: string) => void;
  readonly clear: () => void;
}

export function useDraft(name: string): Draft {
  const [kept, setKept] = useState(() => ({ name, fields: read(name) }));
  const fields = kept.name === name ? kept.fields : read(name);
  const set = (next: Fields): void => {
    if (Object.keys(next).length === 0) drafts.remove(name);
    else drafts.write(name, next);
    setKept({ name, fields: next });
  };
  return {
    fields,
    // Of the kept fields: two changes may come before the page is drawn.
    change: (field, value) => set({ ...read(name), [field]: value }),
    clear: () => set({}),
  };
}

function read(name: string): Fields {
  const kept = drafts.read(name);
  if (!(kept instanceof Object)) return {};
  return Object.fromEntries(Object.entries(kept).map(([field, value]) => [field, String(value)]));
}
