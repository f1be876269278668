import { useState } from 'react';
import type { DataOf, InputOf, OperationName } from './api/operations.ts';
import type { Fault } from './api/reads.ts';
import { faultOf } from './api/reads.ts';
import type { Gate } from './gate.ts';
import { useServices } from './services.ts';
import { firstOf } from './words/faults.ts';

export interface Act<Name extends OperationName> {
  /** Sends the request once: while it is under way, or while the gate is shut, nothing happens. @returns undefined where it was refused */
  readonly run: (input: InputOf<Name>) => Promise<DataOf<Name> | undefined>;
  readonly isBusy: boolean;
  /** Whether `run` does nothing now. */
  readonly isOff: boolean;
  /** Without the refusals that the gate shows. */
  readonly fault: Fault | undefined;
}

/**
 * An act of the operator. After it, what is shown is read again, also after a refusal: another operator may have been
 * first.
 *
 * @param gate of the subject, where the operator may decide anew after another one
 */
export function useAct<Name extends OperationName>(name: Name, gate?: Gate): Act<Name> {
  const { api, live } = useServices();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const isOff = isBusy || gate?.isShut === true;
  const run = async (input: InputOf<Name>): Promise<DataOf<Name> | undefined> => {
    if (isOff) return undefined;
    setBusy(true);
    setFault(undefined);
    try {
      const { data } = await api.call(name, input);
      gate?.pass();
      return data;
    } catch (error) {
      const refusal = faultOf(error);
      const first = gate && firstOf(refusal);
      if (first) gate.shut(first);
      else setFault(refusal);
      return undefined;
    } finally {
      setBusy(false);
      live.changed();
    }
  };
  return { run, isBusy, isOff, fault };
}
