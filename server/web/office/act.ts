import { useState } from 'react';
import type { DataOf, InputOf, OperationName } from './api/operations.ts';
import type { Fault } from './api/reads.ts';
import { faultOf } from './api/reads.ts';
import { useServices } from './services.ts';
import { firstOf } from './words/faults.ts';

export interface Act<Name extends OperationName> {
  /** Sends the request once: while it is under way, nothing happens. @returns undefined where it was refused */
  readonly run: (input: InputOf<Name>) => Promise<DataOf<Name> | undefined>;
  readonly isBusy: boolean;
  readonly fault: Fault | undefined;
  /** The time of the decision that the refusal names: the operator has read it, and the next request may replace it. */
  readonly seen: string | undefined;
}

/** An act of the operator. After it, what is shown is read again, also after a refusal: another operator may have been first. */
export function useAct<Name extends OperationName>(name: Name): Act<Name> {
  const { api, live } = useServices();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const run = async (input: InputOf<Name>): Promise<DataOf<Name> | undefined> => {
    if (isBusy) return undefined;
    setBusy(true);
    setFault(undefined);
    try {
      return (await api.call(name, input)).data;
    } catch (error) {
      setFault(faultOf(error));
      return undefined;
    } finally {
      setBusy(false);
      live.changed();
    }
  };
  return { run, isBusy, fault, seen: fault && firstOf(fault)?.at };
}
