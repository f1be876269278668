import { Banner } from '../../ui/parts/chip.tsx';
import { Refusal } from '../api/api.ts';
import type { Fault } from '../api/reads.ts';
import { sentenceOf } from '../words/faults.ts';

/** Why something did not work, in a sentence with a place of its own. */
export function FaultNote({ fault }: { readonly fault: Fault | undefined }) {
  if (!fault) return null;
  const faults = fault instanceof Refusal ? fault.faults : [];
  return (
    <Banner icon="warn" tone="bad" role="alert">
      <p>{sentenceOf(fault)}</p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <span className="mono">{path}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
